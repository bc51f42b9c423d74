"""aerich: the whole file name. What its rule notes shows only at the next `aerich migrate`, which is not run here."""

from bench import Case, Raw, Tool

FILES = {
    "settings.py": 'TORTOISE_ORM = {\n    "connections": {"default": "sqlite://db.sqlite"},\n    "apps": {"models": {"models": ["models", "aerich.models"], "default_connection": "default"}},\n}\n',
    "models.py": "from tortoise import fields, models\n\n\nclass Thing(models.Model):\n    id = fields.IntField(primary_key=True)\n",
    "pyproject.toml": '[tool.aerich]\ntortoise_orm = "settings.TORTOISE_ORM"\nlocation = "./migrations"\nsrc_folder = "./."\n',
}


def write(path: str, table: str) -> str:
    return f'from tortoise import BaseDBAsyncClient\n\nRUN_IN_TRANSACTION = True\n\n\nasync def upgrade(db: BaseDBAsyncClient) -> str:\n    return """CREATE TABLE "{table}" ("id" INTEGER);"""\n\n\nasync def downgrade(db: BaseDBAsyncClient) -> str:\n    return ""\n'


AT = "migrations/models/"
AERICH = 'CREATE TABLE IF NOT EXISTS "aerich" ("id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "version" VARCHAR(255) NOT NULL, "app" VARCHAR(100) NOT NULL, "content" JSON NOT NULL);'
FIRST = {f"{AT}0_20260102000000_init.py": Raw(write("", "first").replace('"""CREATE', f'"""{AERICH}\nCREATE'))}
USERS = {f"{AT}1_20260103000000_users.py": "users"}
CASES = [
    Case("twin: one number twice", FIRST, USERS, {f"{AT}1_20260103000001_teams.py": "teams"}),
    Case("twin: a late one", FIRST, {f"{AT}3_20260105000000_users.py": "users"}, {f"{AT}2_20260103000001_teams.py": "teams"}),
    Case("merged and then edited", {**FIRST, **USERS}, {}, {f"{AT}1_20260103000000_users.py": "other"}),
]

TOOLS = [Tool("aerich", "0.10.1", {"pip": ["aerich==0.10.1", "tomlkit", "tortoise-orm[aiosqlite]"]}, FILES, write, "aerich upgrade", CASES, last=True)]
