"""Django: what counts is `dependencies`, in a graph per app."""

from bench import Case, Raw, Tool

FILES = {
    "manage.py": 'import os\nimport sys\n\nos.environ["DJANGO_SETTINGS_MODULE"] = "settings"\nfrom django.core.management import execute_from_command_line\n\nexecute_from_command_line(sys.argv)\n',
    "settings.py": 'SECRET_KEY = "x"\nINSTALLED_APPS = ["shop", "blog"]\nDATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite"}}\nUSE_TZ = True\n',
    "shop/__init__.py": "",
    "shop/migrations/__init__.py": "",
    "blog/__init__.py": "",
    "blog/migrations/__init__.py": "",
}


def write(path: str, table: str, *parents: str) -> str:
    app = path.split("/")[0]
    operations = f'[migrations.RunSQL("CREATE TABLE {table} (id integer)")]' if table else "[]"
    return f"from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    dependencies = {[(app, one) for one in parents]}\n    operations = {operations}\n"


EDITED = "by design: the tool keeps no checksums, and an edit that makes no difference is common"
FIRST = {"shop/migrations/0001_initial.py": ("item",)}
OLD = {**FIRST, "shop/migrations/0002_price.py": ("price", "0001_initial")}
SQUASH = {"shop/migrations/0001_squashed_0002_price.py": Raw(
    'from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    replaces = [("shop", "0001_initial"), ("shop", "0002_price")]\n    dependencies = []\n'
    '    operations = [migrations.RunSQL("CREATE TABLE item (id integer)"), migrations.RunSQL("CREATE TABLE price (id integer)")]\n')}
CASES = [
    Case("two children of one migration, with one number", FIRST,
         {"shop/migrations/0002_price.py": ("price", "0001_initial")}, {"shop/migrations/0002_stock.py": ("stock", "0001_initial")}),
    Case("two children of one migration, with two numbers", FIRST,
         {"shop/migrations/0002_price.py": ("price", "0001_initial")}, {"shop/migrations/0003_stock.py": ("stock", "0001_initial")}),
    Case("twin: one number, but one follows the other", OLD,
         {}, {"shop/migrations/0002_stock.py": ("stock", "0002_price")}),
    Case("twin: a lower number that follows the last", {**FIRST, "shop/migrations/0005_price.py": ("price", "0001_initial")},
         {}, {"shop/migrations/0002_stock.py": ("stock", "0005_price")}),
    Case("twin: the branch joins both", OLD,
         {}, {"shop/migrations/0002_stock.py": ("stock", "0001_initial"), "shop/migrations/0003_merge.py": ("", "0002_price", "0002_stock")}),
    Case("twin: one name in two apps", FIRST,
         {"shop/migrations/0002_more.py": ("price", "0001_initial")}, {"blog/migrations/0001_initial.py": ("post",), "blog/migrations/0002_more.py": ("tag", "0001_initial")}),
    Case("twin: the branch squashes, the trunk goes on from what that replaces", OLD, {"shop/migrations/0003_stock.py": ("stock", "0002_price")}, SQUASH),
    Case("twin: the squash takes away what it replaces", OLD, {"shop/migrations/0003_stock.py": ("stock", "0002_price")},
         {**SQUASH, "shop/migrations/0001_initial.py": None, "shop/migrations/0002_price.py": None}),
    Case("the branch takes the parent away", OLD,
         {"shop/migrations/0003_stock.py": ("stock", "0002_price")}, {"shop/migrations/0002_price.py": None, "shop/migrations/0002_cost.py": ("price", "0001_initial")}),
    Case("merged and then edited", FIRST, {}, {"shop/migrations/0001_initial.py": ("other",)}, known=EDITED),
]

TOOLS = [Tool("Django", "5.2.19", {"pip": ["django==5.2.19"]}, FILES, write, "python manage.py migrate --no-input", CASES, last=True)]
