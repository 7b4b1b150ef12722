"""Holds the folders of src/ to what their CMakeLists.txt declare: python3 tools/check_layers.py src

Fails when a file includes a header of a module that DEPENDS does not name or of an outside library that
LIBRARIES does not name, includes by a path that does not start at src/, or is not listed; and when modules
depend on each other in a circle.
"""
import pathlib
import re
import sys

OUTSIDE = {  # first folder of an include -> target
    "CLI": "CLI11::CLI11",
    "coin": "phaze_cbc",
    "fmt": "fmt::fmt",
    "nlohmann": "nlohmann_json::nlohmann_json",
    "sqlite3.h": "SQLite::SQLite3",
    "yaml-cpp": "yaml-cpp",
}
GENERATED = {"embedded"}
KEYWORDS = {"HEADERS", "SOURCES", "DEPENDS", "LIBRARIES"}


def read_declaration(file):
    """The arguments of all add_module and add_program calls of one CMakeLists.txt, by keyword."""
    text = re.sub(r"#.*", "", file.read_text())
    declared = {keyword: set() for keyword in KEYWORDS}
    for kind, body in re.findall(r"\badd_(module|program)\s*\(([^)]*)\)", text):
        name, *words = body.split()
        if kind == "module" and name != file.parent.name:
            sys.exit(f"{file}: add_module({name}) in the folder {file.parent.name}")
        keyword = None
        for word in words:
            if word in KEYWORDS:
                keyword = word
            else:
                declared[keyword].add(word)
    declared["DEPENDS"].discard(file.parent.name)  # a program may use the module beside it
    return declared


def find_cycle(modules):
    """The names along a circle of dependencies, or nothing."""
    done = set()

    def visit(name, path):
        if name in path:
            return path[path.index(name):] + [name]
        if name not in done:
            for below in sorted(modules[name]["DEPENDS"] & modules.keys()):
                cycle = visit(below, path + [name])
                if cycle:
                    return cycle
            done.add(name)
        return None

    return next(filter(None, (visit(name, []) for name in sorted(modules))), None)


def check_include(module, declared, modules, path):
    """What is wrong with an include of `path` in a file of `module`, or nothing."""
    first, slash, _ = path.partition("/")
    if first == module or first in GENERATED:
        return None
    if first in modules:
        if first not in declared["DEPENDS"]:
            return f"{module} may not include {first}/"
    elif first in OUTSIDE:
        if OUTSIDE[first] not in declared["LIBRARIES"]:
            return f"{module} may not include {first}/: its LIBRARIES do not name {OUTSIDE[first]}"
    return None


def main():
    src = pathlib.Path(sys.argv[1])
    modules = {file.parent.name: read_declaration(file) for file in sorted(src.glob("*/CMakeLists.txt"))}
    if not modules:
        sys.exit(f"{src}: no modules")
    faults = []
    for module, declared in modules.items():
        for unknown in sorted(declared["DEPENDS"] - modules.keys()):
            faults.append(f"{src / module}: DEPENDS on {unknown}, which is no module")
    cycle = find_cycle(modules)
    if cycle:
        faults.append("modules depend on each other in a circle: " + " -> ".join(cycle))

    for file in sorted(src.rglob("*")):
        if file.suffix not in {".h", ".cpp"}:
            continue
        module = file.relative_to(src).parts[0]
        if module not in modules:
            faults.append(f"{file}: its folder has no CMakeLists.txt")
            continue
        declared = modules[module]
        if file.relative_to(src / module).as_posix() not in declared["HEADERS"] | declared["SOURCES"]:
            faults.append(f"{file}: not listed in {src / module}/CMakeLists.txt")
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if not include:
                continue
            quote, path = include.groups()
            known = modules.keys() | GENERATED
            if quote == '"' and path.partition("/")[0] not in known:
                fault = f'"{path}": a path from src/ is expected'
            else:
                fault = check_include(module, declared, modules, path)
            if fault:
                faults.append(f"{file}:{number}: {fault}")
    print("\n".join(faults) or f"layers hold: {len(modules)} modules")
    sys.exit(bool(faults))


main()
