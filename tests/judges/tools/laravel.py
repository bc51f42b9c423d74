"""Laravel's migrator, from Debian: the whole file name, and what PHP says of classes."""

from bench import Case, Tool

FILES = {
    "artisan": '''<?php

require "Illuminate/Database/autoload.php";
require "Illuminate/Filesystem/autoload.php";

$capsule = new Illuminate\\Database\\Capsule\\Manager();
$capsule->addConnection(["driver" => "sqlite", "database" => __DIR__ . "/db.sqlite"]);
$capsule->setAsGlobal();
$databases = $capsule->getDatabaseManager();
$history = new Illuminate\\Database\\Migrations\\DatabaseMigrationRepository($databases, "migrations");
$history->repositoryExists() || $history->createRepository();
$migrator = new Illuminate\\Database\\Migrations\\Migrator($history, $databases, new Illuminate\\Filesystem\\Filesystem());
$migrator->run([__DIR__ . "/database/migrations"]);
''',
}


def write(path: str, table: str, name: str = "") -> str:
    opening = f"class {name} extends Migration" if name else "return new class extends Migration"
    end = "" if name else ";"
    return f'<?php\n\nuse Illuminate\\Database\\Capsule\\Manager;\nuse Illuminate\\Database\\Migrations\\Migration;\n\n{opening}\n{{\n    public function up()\n    {{\n        Manager::statement("CREATE TABLE {table} (id integer)");\n    }}\n}}{end}\n'


FIRST = {"database/migrations/2026_01_02_000000_first.php": "first"}
CASES = [
    Case("one class in two files", FIRST, {"database/migrations/2026_01_03_000000_add_users.php": ("users", "AddUsers")}, {"database/migrations/2026_01_04_000000_add_users.php": ("teams", "AddUsers")}),
    Case("one class in two files, in other letters", FIRST, {"database/migrations/2026_01_03_000000_add_users.php": ("users", "AddUsers")}, {"database/migrations/2026_01_04_000000_add_users.php": ("teams", "Addusers")}),
    Case("twin: one timestamp twice", FIRST, {"database/migrations/2026_01_03_000000_users.php": "users"}, {"database/migrations/2026_01_03_000000_teams.php": "teams"}),
    Case("twin: one name twice, without classes", FIRST, {"database/migrations/2026_01_03_000000_add_users.php": "users"}, {"database/migrations/2026_01_04_000000_add_users.php": "teams"}),
    Case("twin: a late one", FIRST, {"database/migrations/2026_01_03_000000_users.php": "users"}, {"database/migrations/2026_01_01_000000_teams.php": "teams"}),
]

TOOLS = [Tool("Laravel", "8.83", {"apt": ["php-cli", "php-sqlite3", "php-illuminate-database", "php-illuminate-events", "php-illuminate-filesystem"]}, FILES, write, "php artisan", CASES)]
