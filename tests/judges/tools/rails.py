"""ActiveRecord with the tasks of Rails: version and class."""

from bench import Case, Tool

FILES = {
    "config/application.rb": "# what tells gatekeep that this is an application\n",
    "Rakefile": 'require "active_record"\n\nActiveRecord::Base.dump_schema_after_migration = false\ntasks = ActiveRecord::Tasks::DatabaseTasks\ntasks.root = Dir.pwd\ntasks.db_dir = "db"\ntasks.env = "development"\ntasks.migrations_paths = ["db/migrate"]\nActiveRecord::Base.configurations = { "development" => { "adapter" => "sqlite3", "database" => "db.sqlite" } }\nActiveRecord::Base.establish_connection(:development)\nActiveRecord::Migrator.migrations_paths = tasks.migrations_paths\ntask(:environment) {}\nload "active_record/railties/databases.rake"\n',
}


def write(path: str, table: str) -> str:
    words = path.rsplit("/", 1)[1].removesuffix(".rb").split("_")[1:]
    return f"class {''.join(word.capitalize() for word in words)} < ActiveRecord::Migration[6.1]\n  def change\n    create_table :{table}\n  end\nend\n"


FIRST = {"db/migrate/20260102000000_first.rb": "first"}
CASES = [
    Case("one version twice", FIRST, {"db/migrate/20260103000000_users.rb": "users"}, {"db/migrate/20260103000000_teams.rb": "teams"}),
    Case("one version with another width", FIRST, {"db/migrate/20260103000000_users.rb": "users"}, {"db/migrate/020260103000000_teams.rb": "teams"}),
    Case("one class twice", FIRST, {"db/migrate/20260103000000_add_users.rb": "users"}, {"db/migrate/20260104000000_add_users.rb": "teams"}),
    Case("one class twice, in a subfolder", FIRST, {"db/migrate/20260103000000_add_users.rb": "users"}, {"db/migrate/old/20260104000000_add_users.rb": "teams"}),
    Case("one version twice, in a subfolder", FIRST, {"db/migrate/20260103000000_users.rb": "users"}, {"db/migrate/old/20260103000000_teams.rb": "teams"}),
    Case("twin: a late one", FIRST, {"db/migrate/20260103000000_users.rb": "users"}, {"db/migrate/20260101000000_teams.rb": "teams"}),
    Case("a name with a capital letter", FIRST, {"db/migrate/20260103000000_users.rb": "users"}, {"db/migrate/20260104000000_Teams.rb": "teams"}),
    Case("merged and then edited", FIRST, {}, {"db/migrate/20260102000000_first.rb": "other"}, known="by design: Rails keeps no checksums, and old migrations are edited often"),
]

TOOLS = [Tool("Rails", "6.1.7", {"apt": ["ruby-activerecord", "ruby-sqlite3", "rake"]}, FILES, write, "rake db:migrate", CASES, last=True)]
