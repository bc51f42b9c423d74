use super::{super::dotenv::parse, *};

fn of(part: Part, texts: &[&str], folder: &str, env: &str) -> Vec<String> {
    let files: Vec<File<'_>> = texts.iter().map(|text| File::parse(text.as_bytes()).expect("YAML")).collect();
    let files: Vec<&File<'_>> = files.iter().collect();
    let mut variables = Variables::default();
    variables.add(0, parse(env.as_bytes()).expect("text"));
    let mut found = Vec::new();
    names(part, &files, folder, &variables, &mut |at, name| {
        let fields: Vec<String> = name.fields.iter().map(|(_, text)| text.to_string()).collect();
        let place = texts[at][name.span.clone()].lines().next().unwrap_or_default().to_owned();
        found.push(format!("{} {} @{at} {place}", name.key, fields.join(" ")));
    })
    .expect("few names");
    found
}

fn ports(texts: &[&str], env: &str) -> Vec<String> {
    of(Part::Port, texts, "", env).iter().map(|found| found.split(' ').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn ports_with_their_places() {
    let text = "services:\n  web:\n    ports:\n      - \"127.0.0.1:${PORT:-3000}:80\"\n      - 9000:9000/udp\n      - 8080\n      - {target: 80, published: 81}\n      - target: 82\n        published: \"83\"\n        host_ip: 10.0.0.1\n        protocol: udp\n      - {target: 84, published: 8000-8001}\n";
    assert_eq!(
        of(Part::Port, &[text], "", "PORT=3005"),
        [
            "3005 tcp 4/127.0.0.1 web @0 127.0.0.1:${PORT:-3000}:80",
            "9000 udp  web @0 9000:9000/udp",
            "81 tcp  web @0 {target: 80, published: 81}",
            "83 udp 4/10.0.0.1 web @0 target: 82",
        ]
    );
    assert_eq!(ports(&[text], "")[0], "3000");
    assert_eq!(ports(&[text], "PORT=$X")[0], "9000");
}

#[test]
fn later_files_come_on_top_unless_they_say_otherwise() {
    let base = "services: {web: {ports: ['1:1', '2:2']}, db: {ports: ['3:3']}}\n";
    assert_eq!(ports(&[base, "services: {web: {ports: ['4:4']}}"], ""), ["3", "1", "2", "4"]);
    assert_eq!(ports(&[base, "services:\n  web:\n    ports: !override\n      - 4:4\n"], ""), ["3", "4"]);
    assert_eq!(ports(&[base, "services:\n  web:\n    ports: !reset []\n  db: !reset null\n"], ""), [""; 0]);
    assert_eq!(ports(&[base, "services:\n  web:\n    ports: !reset null # !override\n"], ""), ["3"]);
}

#[test]
fn merged_and_extended_services_have_what_they_take_over() {
    let text = "x-a: &a\n  ports: ['1:1']\nservices:\n  base: {ports: ['2:2'], profiles: [never]}\n  one:\n    <<: *a\n  two:\n    <<: [*a]\n    ports: ['3:3']\n  three:\n    extends: {service: one}\n    ports: ['4:4']\n  four: {extends: two}\n  five: {extends: {file: other.yml, service: x}, ports: ['5:5']}\n  loop: {extends: loop}\n";
    assert_eq!(ports(&[text], ""), ["5", "3", "1", "1", "4", "3"]);
}

#[test]
fn services_that_do_not_run_take_nothing() {
    let text = "services:\n  a: {ports: ['1:1'], profiles: [debug]}\n  b: {ports: ['2:2'], network_mode: host}\n  c: {ports: ['3:3'], profiles: [x, y]}\n  d: {ports: ['4:4'], profiles: []}\n";
    assert_eq!(ports(&[text], ""), ["4"]);
    assert_eq!(ports(&[text], "COMPOSE_PROFILES=debug, y"), ["1", "3", "4"]);
    assert_eq!(ports(&[text], "COMPOSE_PROFILES=*"), ["1", "3", "4"]);
}

#[test]
fn who_names_the_project() {
    let (one, two) = ("name: My_App!\n", "name: other\n");
    assert_eq!(of(Part::Project, &[one], "infra", ""), ["my_app  @0 My_App!"]);
    assert_eq!(of(Part::Project, &[one, two], "infra", ""), ["other  @1 other"]);
    assert_eq!(of(Part::Project, &[one], "infra", "COMPOSE_PROJECT_NAME=x"), [""; 0]);
    assert_eq!(of(Part::Project, &["name: ${A}-x"], "infra", "A=b"), ["b-x  @0 ${A}-x"]);
    assert_eq!(of(Part::Project, &["name: ${A}-x"], "infra", ""), ["${A}-x  @0 ${A}-x"]);
    assert_eq!(of(Part::Folder, &["services: {}"], "_Infra", ""), ["infra  @0 "]);
    assert_eq!(of(Part::Folder, &["services: {}"], "", ""), [""; 0]);
    assert_eq!(of(Part::Folder, &[one], "infra", ""), [""; 0]);
    assert_eq!(of(Part::Folder, &["services: {}"], "infra", "COMPOSE_PROJECT_NAME=$X"), [""; 0]);
}

#[test]
fn containers_and_volumes_with_names_of_their_own() {
    let text = "name: app\nservices:\n  a: {container_name: db}\n  b: {container_name: \"${COMPOSE_PROJECT_NAME}-x\"}\nvolumes:\n  one: {name: data}\n  two: {name: shared, external: true}\n  three:\n  four: {external: false, name: more}\n";
    assert_eq!(of(Part::Container, &[text], "", ""), ["db  @0 db", "app-x  @0 ${COMPOSE_PROJECT_NAME}-x"]);
    assert_eq!(of(Part::Volume, &[text], "", ""), ["data  @0 data", "more  @0 more"]);
}

#[test]
fn what_else_a_file_names() {
    let text = "include: [a.yml, ./b.yml, {path: [c.yml, ../d.yml]}]\nservices:\n  a: {env_file: .env}\n  b: {env_file: [x.env, {path: y.env}]}\n";
    let file = File::parse(text.as_bytes()).expect("YAML");
    assert_eq!(file.includes(), ["a.yml", "b.yml", "c.yml"]);
    assert_eq!(file.env_files(), [".env", "x.env", "y.env"]);
    let file =
        File::parse(b"# $A\nservices: {a: {ports: ['${B}:$C'], command: $$D, x: [{y: '1${E:-${F}}'}]}}").expect("YAML");
    assert_eq!(file.references().into_iter().collect::<Vec<_>>(), ["B", "C", "E", "F"]);
}

#[test]
fn a_flood_of_ports_is_refused() {
    let file = File::parse(b"services: {a: {ports: ['1-65535:1-65535']}}").expect("YAML");
    let done = names(Part::Port, &[&file], "", &Variables::default(), &mut |_, _| {});
    assert!(matches!(done, Err(ExtractError::TooLarge(_))));
}

#[test]
fn documents_of_any_shape_are_no_services() {
    for text in [
        "",
        "[]",
        "services: x",
        "services: [a]",
        "services: {a: }",
        "services: {a: {ports: {}}}",
        "services: {a: {ports: [[1]]}}",
    ] {
        assert_eq!(ports(&[text], ""), [""; 0], "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn no_document_makes_it_panic(text in "(services:|name:|volumes:|include:|ports:|env_file:|profiles:|extends:|container_name:|[a-c]:|- |&a |\\*a|<<: |!reset |!override |'1-2:3-4'|\\$\\{a:-1\\}:2|\\{|\\}|\\[|\\]|, |\n|\n  |\n    |é){0,24}") {
        let Ok(file) = File::parse(text.as_bytes()) else { return Ok(()) };
        file.includes();
        file.references();
        file.env_files();
        for part in [Part::Port, Part::Project, Part::Folder, Part::Container, Part::Volume] {
            names(part, &[&file, &file], "x", &Variables::default(), &mut |_, found| {
                let _ = &text[found.span]; // lies in the text, between characters
            })
            .expect("few names");
        }
    }
}
