import { describe, expect, it } from 'vitest';
import { detect } from '../../src/detect/detect.ts';
import { formatOf } from '../../src/formats/index.ts';
import { type ContentKind, SAMPLE_BYTES } from '../../src/model/content.ts';
import { encode } from '../../src/text/utf8.ts';
import { OUTPUTS } from './outputs.ts';

const kindOf = (text: string, complete = true): ContentKind => detect(encode(text), { complete }).kind;

describe('detect', () => {
  it.each(OUTPUTS)('$tool: $kind', ({ text, kind }) => {
    expect(kindOf(text)).toBe(kind);
  });

  it.each(OUTPUTS)('$tool: $kind, also with CRLF', ({ text, kind }) => {
    expect(kindOf(text.replaceAll('\n', '\r\n'))).toBe(kind);
  });

  it('names a family for code', () => {
    const detail = (text: string) => detect(encode(text), { complete: true });
    const python =
      'import os\n\ndef f(a):\n    """Says error."""\n    if a:\n        raise ValueError("error: a")\n    return a\n';
    const c =
      '#include <stdio.h>\nint main(void) {\n  /* ERROR: none */\n  printf("error\\n");\n  return 0;\n}\n';
    const shell = '#!/bin/sh\nset -e\nif [ -n "$1" ]; then\n  echo "error: $1" >&2\nfi\n';
    const ruby =
      "require 'set'\nclass A < B\n  def f(a)\n    a.each do |x|\n      puts x\n    end\n  end\nend\n";
    const lisp = ';; add\n(defun add (a b)\n  (let ((c (+ a b)))\n    (message "%s" c)))\n';
    expect(detail(python)).toEqual({ kind: 'code', detail: 'python-like' });
    expect(detail(c)).toEqual({ kind: 'code', detail: 'c-like' });
    expect(detail(shell)).toEqual({ kind: 'code', detail: 'shell' });
    expect(detail(ruby)).toEqual({ kind: 'code', detail: 'ruby-like' });
    expect(detail(lisp)).toEqual({ kind: 'code', detail: 'lisp-like' });
  });

  it('takes JSON behind other words for what a command printed, behind a comment for settings', () => {
    const value = { name: 'shop', list: [{ id: 1 }, { id: 2 }], on: true, deep: { a: { b: { c: null } } } };
    const json = JSON.stringify(value, null, 2);
    expect(kindOf(`==> Dependencies\n${json}\n==> Tests\n`)).toBe('text');
    expect(kindOf(`${json}\n${json}\n`)).toBe('ndjson');
    expect(kindOf(`==> Dependencies\n${json.slice(0, -9)}`, false)).toBe('text');
    expect(kindOf(`// for the compiler\n${json}\n`)).toBe('code');
    expect(kindOf(`const settings = ${json};\n`)).toBe('code');
  });

  it('takes source code that writes logs for code', () => {
    const text = Array.from({ length: 20 }, (_, i) => `  logger.error("ERROR: step ${i} failed");\n`).join(
      '',
    );
    expect(kindOf(`function f() {\n${text}}\n`)).toBe('code');
  });

  it('knows a log of the kernel or the journal by its times, however they are written', () => {
    const text = [
      'Linux version 6.1.0-18-amd64 (gcc-12 (Debian 12.2.0-14) 12.2.0) #1 SMP',
      'BIOS-e820: [mem 0x0000000000000000-0x000000000009ffff] usable',
      'NX (Execute Disable) protection: active',
      'usb 1-1: new high-speed USB device number 2 using xhci_hcd',
      'EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none.',
      'sd 0:0:0:0: [sda] 41943040 512-byte logical blocks: (21.5 GB/20.0 GiB)',
      'Out of memory: Killed process 1234 (java) total-vm:8388608kB',
      'The check of the file system was skipped because it is clean.',
    ];
    const seconds = (i: number) => (i * 1.234567).toFixed(6).padStart(12);
    const forms: Record<string, (i: number) => string> = {
      plain: (i) => `[${seconds(i)}]`,
      caller: (i) => `[${seconds(i)}] [    T${i}]`,
      local: (i) => `[Sun Nov 15 10:00:0${i} 2026]`,
      decoded: (i) => `kern  :info  : [${seconds(i)}]`,
      raw: (i) => `<6>[${seconds(i)}]`,
      delta: (i) => `[<${seconds(i)}>]`,
      human: (i) => (i === 0 ? '[Nov15 10:00]' : `[  +0.00001${i}]`),
      short: (i) => `Nov 15 10:00:0${i} host kernel:`,
      full: (i) => `Sun 2026-11-15 10:00:0${i} UTC host kernel:`,
      monotonic: (i) => `[${seconds(i)} <    0.01${i}>] host kernel:`,
      syslog: (i) => `<34>1 2026-11-15T10:00:00.00${i}Z host app ${i} ID47 -`,
    };
    const kinds = Object.entries(forms).map(([name, stamp]) => [
      name,
      kindOf(`${text.map((line, i) => `${stamp(i)} ${line}`).join('\n')}\n`),
    ]);
    expect(kinds).toEqual(Object.keys(forms).map((name) => [name, 'log']));
  });

  it('takes bare names in order for a listing, and other words for text', () => {
    const names = [
      'api',
      'bench',
      'bin',
      'docs',
      'examples',
      'LICENSE',
      'Makefile',
      'node_modules',
      'packages',
      'README',
      'src',
    ];
    const shuffled = names.map((name, i) => names[(i * 7) % names.length] ?? name);
    expect(kindOf(`${names.join('\n')}\n`)).toBe('listing');
    expect(kindOf(`${shuffled.join('\n')}\n`)).toBe('text');
    expect(kindOf('alpha\nbeta\ngamma\n')).toBe('text');
    expect(kindOf(`${names.join('\n')}\nand so on, as one says\n`)).not.toBe('listing');
  });

  it('takes rows that leave out their last fields for CSV, and lines of sentences not', () => {
    const rows = [
      'version,codename,series,created,release,eol',
      '1.1,Buzz,buzz,1993-08-16,1996-06-17',
      '1.2,Rex,rex,1996-06-17',
      '1.3,Bo,bo,1996-12-12,1997-06-05,1999-03-09',
    ];
    expect(kindOf(`${rows.join('\n')}\n`)).toBe('csv');
    expect(kindOf(`${[...rows, '1.4,x,x,x,x,x,x,x,x'].join('\n')}\n`)).not.toBe('csv');
    expect(
      kindOf(
        'Bread, milk, eggs, salt and then flour, sugar, oil.\nTea, coffee, water, wine.\nAnd so on, and so on, at noon, as he said.\n',
      ),
    ).not.toBe('csv');
  });

  it('takes Markdown with code blocks for prose, and other scripts too', () => {
    const fence = '```js\nconst a = f(1);\nconst b = f(2);\nreturn a + b;\n```\n';
    expect(
      kindOf(`# Use\n\nCall it twice and add what it gives.\n\n${fence}\nThat is all there is to it.\n`),
    ).toBe('prose');
    expect(kindOf('これは日本語の文章です。\n改行もあります。\n')).toBe('prose');
    expect(kindOf('Это обычный русский текст.\nЕщё одна строка.\n')).toBe('prose');
    expect(kindOf('यह हिन्दी में लिखा गया है।\nदूसरी पंक्ति।\n')).toBe('prose');
  });

  it('looks through the line numbers of a file reader', () => {
    const source = ['import a from "a";', 'const b = a(1);', '', 'export function c() {', '  return b;', '}'];
    const tabs = source.map((line, i) => `${String(i + 1).padStart(6)}\t${line}\n`).join('');
    const colons = source.map((line, i) => `${i + 1}: ${line}\n`).join('');
    expect([kindOf(tabs), kindOf(colons)]).toEqual(['code', 'code']);
  });

  it('takes the names of tests for a test run, not for hits of a search', () => {
    const names = Array.from(
      { length: 120 },
      (_, i) => `py/test_a.py::test_many[${i}] PASSED   [ ${i % 100}%]\n`,
    );
    expect(kindOf(`collected 123 items\n\n${names.join('')}`)).toBe('test');
    expect(kindOf(`cargo/src/lib.rs:a::b()\n`.repeat(20))).toBe('hits');
  });

  it('takes bytes for binary and base64 too', () => {
    const png = Uint8Array.from({ length: 600 }, (_, i) => (i * 89 + 13) % 256);
    const base64 = Buffer.from(png).toString('base64');
    expect(detect(png, { complete: false }).kind).toBe('binary');
    expect(kindOf(base64)).toBe('binary');
    expect(kindOf(base64.replace(/.{76}/g, '$&\n'))).toBe('binary');
    expect(kindOf(`data:image/png;base64,${base64}`)).toBe('binary');
  });

  it('calls nothing, blanks, numbers and words text', () => {
    for (const text of ['', ' ', '\n\n', '42', '"a string"', 'null', 'ok', '1\n2\n3\n'])
      expect(kindOf(text)).toBe('text');
  });

  it('looks at the first bytes only, and then does not believe that they are all', () => {
    const long = `[${'1,'.repeat(SAMPLE_BYTES)}`;
    expect(kindOf(long)).toBe('json');
    expect(kindOf(long.slice(0, SAMPLE_BYTES))).not.toBe('json');
    expect(kindOf(`${long.slice(0, SAMPLE_BYTES)}${'}'.repeat(10)}`)).toBe('json');
  });
});

describe('lines about errors', () => {
  it('are the words of the tool itself in logs, test runs, messages of compilers and traces', () => {
    const kinds = [...new Set(OUTPUTS.map(({ kind }) => kind)), 'code', 'prose', 'text'] as const;
    const own = kinds.filter((kind) => formatOf(kind)?.errorLines === 'own');
    expect(own.sort()).toEqual(['compiler', 'log', 'test', 'trace']);
  });
});
