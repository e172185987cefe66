"""PTX text to a program: variables, parameters, and the instructions of its one entry.

Device functions that were not inlined are inlined here: each call gets a copy with registers and labels of its own, and
`.param` variables that pass arguments become local memory. There is no stack, so recursion is refused.
"""

import bisect
import functools
import hashlib
import itertools
import re
from typing import NamedTuple

import numpy as np

from .build import INSTRUCTION, LOCAL, NONE, SHARED_VARIABLE, library, operation_numbers, pointer
from .encode import SPECIAL, UnknownPtx, encoder_of, operands_of, width

_FUNCTION = re.compile(r"\.(entry|func)\s*(?:\(([^)]*)\))?\s*([$\w]+)\s*\(([^)]*)\)([^{;]*)([{;])")
_VARIABLE = re.compile(
    r"\.(shared|global|const|local|param)\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([$\w]+)(?:\[(\d*)\])?\s*(?:=\s*([^;]*))?"
)
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+[.\w\s]*?)?([$\w]+)(?:\[(\d+)\])?")
_PIECE = re.compile(r"\s*(?:(\{)|(\})|([$%\w]+)\s*:(?!:)|([^;{}][^;]*);)")
_STATEMENT = re.compile(r"(?:@(!?)([%$\w]+)\s+)?([\w.:]+)\s*(.*)", re.S)
_ADDRESS = re.compile(r"\[\s*([%$\w]+)\s*(?:([+-])\s*(-?\w+))?\s*\]")
_PAD = 128
"""Bytes between variables of shared memory, so that an index beyond one does not reach the next."""


class Shared(NamedTuple):
    """A variable of shared memory."""

    start: int
    size: int
    granule: int
    name: str


class Function(NamedTuple):
    """A function of the module: its parameters as text, and where its body begins."""

    name: str
    results: str
    parameters: str
    directives: str
    start: int


class Program:
    """A kernel that can be launched.

    `parameters` holds the offset and the size of each in bytes. `threads` is how many threads a block may have, None if that is
    not said. `name` is for messages and for the list of allowed races.
    """

    def __init__(self, text):
        self.text = text
        self.name = "?"
        self.identity = hashlib.sha256(text.encode()).hexdigest()[:16]
        _Parser(self).parse()

    @functools.cached_property
    def lines(self):
        return self.text.splitlines()

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key not in ("lines", "memory")}

    @functools.cached_property
    def memory(self):
        """The module's variables in global memory, in one piece, and the constants with their addresses filled in."""
        held = np.zeros(sum(-(-len(data) // 16) * 2 + 2 for data, _ in self.variables) + 2, np.uint64)
        at, addresses = -(-held.ctypes.data // 16) * 16, []
        content = held.view(np.uint8)
        for data, _ in self.variables:
            start = at - held.ctypes.data
            content[start : start + len(data)] = np.frombuffer(data, np.uint8)
            addresses.append(at)
            at += -(-len(data) // 16) * 16
        constants = self.constants.copy()
        for place, variable, offset in self.fixes:
            constants[place] = addresses[variable] + offset
        return held, addresses, constants

    def line_of(self, pc):
        """Return the number and the text of the line that an instruction was made of."""
        number = int(self.code["line"][pc])
        return number + 1, self.lines[number].strip() if number < len(self.lines) else ""


class _Parser:
    """Takes statements one after another and makes the instructions of a program."""

    def __init__(self, program):
        self.program = program
        self.rows, self.jumps, self.labels, self.tables = [], [], {}, {}
        self.registers, self.constants, self.fixes = {}, {}, []
        self.shared, self.variables, self.symbols = [], [], {}
        self.shared_size, self.local_size = 1024, 0
        self.scopes, self.path, self.ids = [], (), itertools.count(1)
        self.prefix, self.calling, self.parameters, self.line = "", [], {}, 0
        self.predicate = (-1, 0)
        self.numbers = operation_numbers()

    def parse(self):
        """Fill in the program."""
        blank = lambda found: re.sub(r"[^\n]", " ", found.group(0))  # noqa: E731
        self.text = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", blank, self.program.text, flags=re.S))
        self.newlines = [found.start() for found in re.finditer("\n", self.text)]
        found = list(_FUNCTION.finditer(self.text))
        with_body = [f for f in found if f.group(6) == "{"]
        self.functions = {f[3]: Function(f[3], f[2] or "", f[4], f[5], f.end()) for f in with_body}
        entries = [f.group(3) for f in found if f.group(1) == "entry"]
        if len(entries) != 1:
            raise UnknownPtx(f"{len(entries)} entries: one is executed")
        self._module_variables(self.text[: found[0].start()])
        entry = self.functions[entries[0]]
        self._kernel_parameters(entry)
        self._body(entry.start)
        self._finish(entry)

    # Variables

    def _module_variables(self, head):
        for found in _VARIABLE.finditer(head):
            self._variable(*found.groups())

    def _variable(self, space, align, kind, name, count, content):
        size = width(kind) * int(count or 1)
        align = int(align or width(kind))
        if space == "shared":
            start = -(-self.shared_size // _PAD) * _PAD
            granule = 1 if name.startswith("static_shared_memory") else min(align, 4)  # numba-cuda-mlir aligns all to 8
            self.shared.append(Shared(start, size, granule, name))  # words: an array may be viewed in a narrower type
            self.symbols[name] = ("number", start)
            self.shared_size = start + size + _PAD
        elif space in ("local", "param"):
            self.local_size = -(-self.local_size // max(align, 8)) * max(align, 8)
            self._declare(name, ("number", LOCAL + self.local_size))
            self.local_size += size
        else:
            data = np.zeros(max(size, 1), np.uint8)
            if content:
                values = [int(value, 0) for value in re.findall(r"-?(?:0x[0-9a-fA-F]+|\d+)", content)]
                data.view(f"u{width(kind)}")[: len(values)] = np.array(values, object).astype(f"u{width(kind)}")
            self.symbols[name] = ("global", len(self.variables))
            self.variables.append((data.tobytes(), name))

    def _declare(self, name, value):
        (self.scopes[-1] if self.scopes else self.symbols)[name] = value

    def _kernel_parameters(self, entry):
        end = 0
        for found in _PARAMETER.finditer(entry.parameters):
            align, kind, name, count = found.groups()
            align, size = int(align or width(kind)), width(kind) * int(count or 1)
            end = -(-end // align) * align
            self.parameters[name] = end, size
            end += size

    # Statements

    def _body(self, start):
        at, depth, match = start, 1, _PIECE.match
        while depth:
            found = match(self.text, at)
            if found is None:
                raise UnknownPtx(self.text[at : at + 60])
            at = found.end()
            opens, closes, label, statement = found.groups()
            if statement:
                self.line = bisect.bisect_left(self.newlines, found.start(4))
                self._statement(statement)
            elif label:
                self.labels[self.path, label] = len(self.rows)
                self.label = label
            elif opens:
                depth += 1
                self.scopes.append({})
                self.path += (next(self.ids),)
            elif closes:
                depth -= 1
                if depth:
                    self.scopes.pop()
                    self.path = self.path[:-1]

    def _statement(self, text):
        if text[0] == ".":
            self._directive(text)
            return
        negated, predicate, name, rest = _STATEMENT.match(text).groups()
        self.predicate = (self.register(predicate), int(bool(negated))) if predicate else (-1, 0)
        try:
            encoder_of(name)(self, operands_of(rest.strip()))
        except (UnknownPtx, KeyError, ValueError, IndexError, TypeError) as error:
            raise UnknownPtx(f"line {self.line + 1}: {text}: {error}") from error

    def _directive(self, text):
        if text.startswith(".reg"):
            if self.scopes:  # names like %r<40> are a function's own, others a block's
                for name in text.split(None, 2)[2].split(","):
                    if "<" not in name:
                        self.scopes[-1][name.strip()] = ("register", f"{name.strip()} {next(self.ids)}")
        elif text.startswith((".local", ".shared", ".param")):
            self._variable(*_VARIABLE.match(text).groups())
        elif text.startswith(".branchtargets"):
            self.tables[self.path, self.label] = [name.strip() for name in text.split(None, 1)[1].split(",")]
        elif not text.startswith((".pragma", ".loc", ".file")):
            raise UnknownPtx(text)

    # Operands

    def _symbol(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return self.symbols.get(name)

    def register(self, name):
        """Return the number of a register."""
        if self.scopes:
            found = self._symbol(name)
            if found and found[0] == "register":
                name = found[1]
        if self.prefix:
            name = self.prefix + name
        return self.registers.setdefault(name, len(self.registers))

    def constant(self, value, fix=None):
        """Return the source for a number, or for that many bytes behind the variable number `fix` of global memory."""
        key = value & (1 << 64) - 1, fix
        number = self.constants.setdefault(key, len(self.constants))
        if fix is not None and number == len(self.constants) - 1 and (number, fix, value) not in self.fixes:
            self.fixes.append((number, fix, value))
        return -number - 1

    def _address_of(self, symbol, offset=0):
        what, value = symbol
        return self.constant(offset, fix=value) if what == "global" else self.constant(value + offset)

    def source(self, text, bytes_=8):
        """Return the source for an operand: a register, a number of so many bytes, or the address of a variable."""
        first = text[0]
        if first == "%" and text not in SPECIAL:
            return self.register(text)
        if first.isdigit() or first == "-":
            value = int(text[2:], 16) if text[:2] in ("0f", "0F", "0d", "0D") else int(text.rstrip("U"), 0)
            return self.constant(value & (1 << 8 * bytes_) - 1)
        name, _, offset = text.partition("+")
        symbol = self._symbol(name.strip())
        if symbol is None:
            raise UnknownPtx(f"operand {text}")
        if symbol[0] == "register":
            return self.register(name)
        return self._address_of(symbol, int(offset or "0", 0))

    def destination(self, text):
        """Return the register for an operand that is written."""
        return self.register(text)

    def optional(self, text):
        """Return the same, or -1 where nothing is wanted."""
        return -1 if text in ("", "_") else self.register(text)

    def address(self, text):
        """Return the source that holds an address, and the offset to it."""
        base, sign, offset = _ADDRESS.fullmatch(text).groups()
        distance = int(offset, 0) * (-1 if sign == "-" else 1) if offset else 0
        return self.source(base), distance

    def parameter(self, text):
        """Return where in the kernel's parameters an address is, or None."""
        base, _, offset = _ADDRESS.fullmatch(text).groups()
        return self.parameters[base][0] + int(offset or "0", 0) if base in self.parameters else None

    # Instructions

    def add(self, op, places, sources, *, immediate=0, x=0, y=0, z=0, count=0, rounding=0, keep=0):
        """Add an instruction under the statement's predicate; see `encode.py` and base.h for the fields."""
        d, s = [*places, -1, -1, -1, -1], [*sources, NONE, NONE, NONE, NONE, NONE]
        self.rows.append(
            [self.numbers[op], *self.predicate, *d[:4], *s[:5], x, y, z, count, rounding, 0, keep, self.line, immediate]
        )

    def branch(self, label):
        """Add a jump to a label, which may follow later."""
        self.jumps.append((len(self.rows), self.path, label))
        self.add("bra", (), ())

    def branch_by_table(self, index, table):
        """Add a jump to the label that a register chooses from a table."""
        self.jumps.append((len(self.rows), self.path, table))
        self.add("bra_table", (), (index,))

    def leave(self):
        """End the thread, or the call that is being inserted."""
        if self.calling:
            self.branch("return")
        else:
            self.add("ret", (), ())

    def call(self, operands):
        """Insert the called function's body."""
        lists = [operands_of(text[1:-1]) for text in operands if text[0] == "("]
        name = next(text for text in operands if text[0] != "(")
        results, arguments = lists if len(lists) == 2 else ([], *lists) if operands[0][0] != "(" else (*lists, [])
        function = self.functions.get(name)
        if function is None or name in self.calling or self.predicate[0] >= 0:
            raise UnknownPtx("a call of what is not in the text, of itself, or under a predicate")
        names = [found.group(3) for found in _PARAMETER.finditer(function.results + "," + function.parameters)]
        passed = dict(zip(names, (self._symbol(text) for text in [*results, *arguments]), strict=True))
        kept = self.scopes, self.path, self.prefix, self.parameters
        number = next(self.ids)
        self.scopes, self.path, self.prefix, self.parameters = [passed], (*self.path, number), f"{number}:", {}
        self.calling.append(name)
        self._body(function.start)
        self.calling.pop()
        self.labels[self.path, "return"] = len(self.rows)
        self.scopes, self.path, self.prefix, self.parameters = kept

    # The end

    def _target(self, path, label):
        for depth in range(len(path), -1, -1):
            if (path[:depth], label) in self.labels:
                return self.labels[path[:depth], label]
        raise UnknownPtx(f"no label {label}")

    def _finish(self, entry):
        self.predicate = (-1, 0)
        self.add("ret", (), ())
        rows = np.array(self.rows, np.int64)
        code = np.zeros(len(rows), INSTRUCTION)
        at = 0
        for name in INSTRUCTION.names:
            n = int(np.prod(INSTRUCTION[name].shape, dtype=int))
            code[name] = rows[:, at] if not INSTRUCTION[name].shape else rows[:, at : at + n]
            at += n
        targets = []
        for place, path, label in self.jumps:
            if (path, label) in self.tables:
                labels = self.tables[path, label]
                code["x"][place], code["y"][place] = len(targets), len(labels)
                targets += [self._target(path, name) for name in labels]
            else:
                code["immediate"][place] = self._target(path, label)
        code["label"][list(self.labels.values())] = 1
        program = self.program
        program.tables = np.array(targets or [0], np.int32)
        program.registers = library().ptx_places(pointer(code), len(code), pointer(program.tables), len(self.registers))
        program.code = code
        program.constants = np.array([value for value, _ in self.constants] or [0], np.uint64)
        program.fixes, program.variables = self.fixes, self.variables
        program.shared = self.shared
        program.shared_array = np.array([v[:3] for v in self.shared], SHARED_VARIABLE)
        program.shared_size, program.local_size = self.shared_size, self.local_size
        program.parameters = list(self.parameters.values())
        limit = re.search(r"\.(?:maxntid|reqntid)\s+(\d+)", entry.directives)
        program.threads = int(limit.group(1)) if limit else None
