use std::fs;

use super::*;
use crate::source::git::{Git, objects::ThroughGix, testing::TestRepo};

/// Reads every object both ways; how many the packs gave.
fn same_as_gix(repo: &TestRepo) -> usize {
    let git = repo.open();
    let mut own = PackReader::new(git.packs());
    let mut gix = ThroughGix::new(&git.repo);
    let mut found = 0;
    for id in repo.objects() {
        let right = gix.read(&id, u64::MAX).expect("it is there");
        assert_eq!(gix.size(&id), Ok(right.bytes.len() as u64));
        match own.read(&id, u64::MAX) {
            Ok(object) => {
                found += 1;
                assert_eq!((object.kind, &object.bytes), (right.kind, &right.bytes), "{id}");
                let size = right.bytes.len() as u64;
                assert!(own.read(&id, size).is_ok());
                assert!(size == 0 || own.read(&id, size - 1).err() == Some(Unread::TooLarge(size)), "{id}");
            }
            Err(Unread::Missing) => {}
            Err(other) => panic!("{id}: {other:?}"),
        }
    }
    found
}

fn deltas(repo: &TestRepo) -> usize {
    let ids: String = repo.objects().iter().map(|id| format!("{id}\n")).collect();
    let bases = repo.git_in(&repo.top(), &["cat-file", "--batch-check=%(deltabase)"], ids.as_bytes());
    bases.lines().filter(|base| base.contains(|c| c != '0')).count()
}

#[test]
fn every_object_is_what_gix_says() {
    for format in ["sha1", "sha256"] {
        let repo = TestRepo::new(&["--object-format", format]);
        repo.grow(40);
        for (option, value) in [("true", "deltas by offset"), ("false", "deltas by id")] {
            repo.git(&["-c", &format!("repack.useDeltaBaseOffset={option}"), "repack", "-adfq", "--depth=50"]);
            assert!(deltas(&repo) > 50, "{format} {value}");
            assert_eq!(same_as_gix(&repo), repo.objects().len(), "{format} {value}");
        }
    }
}

#[test]
fn several_packs_loose_objects_and_alternates() {
    let repo = TestRepo::new(&[]);
    repo.grow(20);
    repo.git(&["repack", "-adfq"]);
    fs::write(repo.top().join("loose"), "a loose one").expect("it can be written");
    repo.git(&["add", "loose"]);
    let all = repo.objects().len();
    assert_eq!(same_as_gix(&repo), all - 1);
    repo.git(&["commit", "--quiet", "--message=one more"]);
    repo.git(&["repack", "-dq"]);
    repo.git(&["multi-pack-index", "write"]);
    assert_eq!(repo.packs(".pack").len(), 2);
    assert_eq!(same_as_gix(&repo), repo.objects().len());

    let borrower = TestRepo::new(&[]);
    let objects = repo.top().join(".git/objects");
    fs::write(borrower.top().join(".git/objects/info/alternates"), format!("{}\n", objects.display()))
        .expect("written");
    assert_eq!(borrower.objects(), repo.objects());
    assert_eq!(same_as_gix(&borrower), repo.objects().len());
}

#[test]
fn replaced_objects_are_left_to_gix() {
    let repo = TestRepo::new(&[]);
    repo.grow(3);
    repo.git(&["repack", "-adfq"]);
    let (one, other) = (repo.git(&["rev-parse", "main"]), repo.git(&["rev-parse", "main~1"]));
    repo.git(&["replace", one.trim(), other.trim()]);
    let git = repo.open();
    let facts =
        |id: &str| git.reader().commit(&id.trim().parse::<gix::ObjectId>().expect("an id")).expect("it is there");
    assert_eq!(facts(&one), facts(&other));
}

#[test]
fn a_damaged_pack_gives_errors_and_nothing_else() {
    let repo = TestRepo::new(&[]);
    repo.grow(12);
    repo.git(&["repack", "-adfq", "--depth=50"]);
    let (pack, ids) = (repo.packs(".pack").remove(0), repo.objects());
    let sound = fs::read(&pack).expect("it can be read");
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let mut refused = 0;
    for round in 0..60 {
        let mut bytes = sound.clone();
        for _ in 0..1 + bytes.len() / 200 {
            let at = 12 + random() % (bytes.len() - 12);
            bytes[at] = if round % 2 == 0 { random() as u8 } else { 0xff };
        }
        if round % 5 == 0 {
            bytes.truncate(12 + random() % (bytes.len() - 12));
        }
        // a new file: the old one may still be mapped
        fs::remove_file(&pack).expect("it is there");
        fs::write(&pack, &bytes).expect("it can be written");
        let git = repo.open();
        let mut own = PackReader::new(git.packs());
        refused += ids.iter().filter(|id| own.read(id, 1 << 20).is_err()).count();
    }
    assert!(refused > 60);
}

/// Makes a pack of these entries, with an index that names each by a number.
fn pack_of(repo: &TestRepo, entries: &[Vec<u8>]) -> Git {
    let mut pack = [b"PACK".as_slice(), &2u32.to_be_bytes(), &(entries.len() as u32).to_be_bytes()].concat();
    let mut index = [b"\xfftOc".as_slice(), &2u32.to_be_bytes()].concat();
    let count = entries.len() as u32;
    index.extend((0..256).flat_map(|first: u32| if first == 0 { 0 } else { count }.to_be_bytes()));
    (0..count).for_each(|number| index.extend_from_slice(id(number).as_slice()));
    index.extend(vec![0; 4 * entries.len()]);
    for entry in entries {
        index.extend_from_slice(&(pack.len() as u32).to_be_bytes());
        pack.extend_from_slice(entry);
    }
    index.extend([0; 40]);
    pack.extend([0; 20]);
    let folder = repo.top().join(".git/objects/pack");
    fs::write(folder.join("pack-1.pack"), pack).expect("it can be written");
    fs::write(folder.join("pack-1.idx"), index).expect("it can be written");
    repo.open()
}

fn id(number: u32) -> gix::ObjectId {
    let mut bytes = [1; 20];
    bytes[16..].copy_from_slice(&number.to_be_bytes());
    gix::ObjectId::from_bytes_or_panic(&bytes)
}

/// An entry: kind, size as it claims, what follows the header, and what is compressed.
fn entry(kind: u8, mut size: u64, between: &[u8], content: &[u8]) -> Vec<u8> {
    let mut header = vec![kind << 4 | (size & 15) as u8];
    size >>= 4;
    while size > 0 {
        *header.last_mut().expect("it has a byte") |= 0x80;
        header.push((size & 0x7f) as u8);
        size >>= 7;
    }
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut zlib, content).expect("memory can be written");
    [header.as_slice(), between, &zlib.finish().expect("memory can be written")].concat()
}

#[test]
fn hostile_packs_are_refused_before_they_take_memory_or_time() {
    let delta = b"\x05\x05\x90\x05";
    let by_id = |number: u32| id(number).as_slice().to_vec();
    let huge = b"\x05\xff\xff\xff\xff\x0f\x90\x05";
    let large = b"\x05\xff\xff\xff\x5f\x90\x05";
    let entries = [
        entry(2, 1 << 40, b"", b"tiny"),        // says that it is a terabyte
        entry(2, 100 << 20, b"", b"tiny"),      // a hundred megabytes that its bytes can't hold
        entry(3, 3, b"", b"longer than three"), // more than it said
        entry(3, 30, b"", b"shorter"),          // less
        entry(7, 4, &by_id(4), delta),          // told by itself
        entry(7, 4, &by_id(6), delta),          // told by the next, which is told by this one
        entry(7, 4, &by_id(5), delta),
        entry(6, 4, b"\xff\xff\xff\xff\xff\x7f", delta), // told by what lies before the pack
        entry(3, 5, b"", b"hello"),
        entry(7, 8, &by_id(8), huge),   // four gigabytes told in two bytes
        entry(7, 4, &by_id(8), delta),  // sound
        entry(7, 4, &by_id(99), delta), // told by what is nowhere
        entry(5, 4, b"", b"what"),      // no kind of object
        entry(7, 7, &by_id(8), large),  // two hundred megabytes told in two bytes
    ];
    let repo = TestRepo::new(&[]);
    let git = pack_of(&repo, &entries);
    let mut own = PackReader::new(git.packs());
    let read: Vec<Result<Object, Unread>> = (0..14).map(|number| own.read(&id(number), 256 << 20)).collect();
    let broken = |number: usize| matches!(read[number], Err(Unread::Broken(_)));
    assert_eq!(read[0].as_ref().err(), Some(&Unread::TooLarge(1 << 40)));
    assert_eq!(read[9].as_ref().err(), Some(&Unread::TooLarge((1 << 32) - 1)));
    assert!([1, 2, 3, 4, 5, 6, 7, 12, 13].into_iter().all(broken), "{read:?}");
    assert_eq!(read[8].as_ref().map(|object| object.bytes.to_vec()), Ok(b"hello".to_vec()));
    assert_eq!(
        read[10].as_ref().map(|object| (object.kind, object.bytes.to_vec())),
        Ok((Kind::Blob, b"hello".to_vec()))
    );
    assert_eq!(read[11].as_ref().err(), Some(&Unread::Missing));
    let mut both = git.reader();
    assert!((0..8).all(|number| both.read(&id(number), 256 << 20).is_err()), "nor does gix take them");
}
