#!/usr/bin/env node
// The program. An old Node gets one sentence instead of a syntax error from deep inside: only
// syntax that Node 18 reads. What V8 made of the files of program/ is kept from run to run, with
// the functions that were called (Node's own compile cache leaves those out, and a short program
// spends most of its time on them). It is kept in the user's cache folder, if there is one, else
// where Spillway keeps what is the user's, and used only if it is the user's own: whoever writes
// there decides what runs. Names in program/
// change with the content, so what is kept fits its name. It is kept twice in one file: V8 runs
// damaged code without a look, and comparing two copies takes a thousandth of the time that a
// checksum takes before anything is compiled.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 13)) start();
else {
  console.error(`spillway needs Node 22.13 or newer; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
}

function start() {
  const fs = require('node:fs');
  const program = `${__dirname.slice(0, -'bin'.length)}program/`;
  const load = loader(fs, program, keeping(fs));
  const { main } = load(fs.readFileSync(`${program}entry`, 'latin1'));
  main(process.argv.slice(2)).then((code) => {
    process.exitCode = code ?? process.exitCode;
  });
}

/** Gives what requires a file of the program by its path in there. */
function loader(fs, program, kept) {
  const { constants, Script } = require('node:vm');
  const loaded = new Map();
  return function load(path) {
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(path, module);
    const filename = program + path;
    const script = new Script(fs.readFileSync(filename, 'latin1'), {
      filename,
      cachedData: kept.find(path),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    kept.use(path, script);
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const own = (id) => (id.startsWith('.') ? load(inside(folder + id)) : require(id));
    script.runInThisContext().call(module.exports, module.exports, own, module, filename, program + folder);
    return module.exports;
  };
}

/** `a/b/../../c` and `./c` as `c`. */
function inside(path) {
  const names = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.') names.push(name);
  }
  return names.join('/');
}

/**
 * What was compiled in earlier runs. The first few each add what they called: commands, and
 * outputs, need different functions.
 */
function keeping(fs) {
  const RUNS = 5;
  const home = keptIn(fs);
  if (home === undefined) return { find: () => undefined, use: () => undefined };
  const folder = `${home}/${process.version}-${process.arch}`;
  const runs = new Map();
  const used = [];
  const nameOf = (path) => `${folder}/${path.replaceAll('/', '-')}`;
  process.once('exit', () => {
    if (used.length === 0 || !hasRoom(fs, home.slice(0, home.lastIndexOf('/')))) return;
    for (const { path, script, run } of used) {
      const compiled = script.createCachedData();
      const head = Buffer.from([run + 1, 0, 0, 0, 0, 0, 0, 0]);
      replace(fs, folder, nameOf(path), Buffer.concat([head, compiled, compiled]));
    }
  });
  return {
    find(path) {
      if (!isOwn(fs, nameOf(path))) return undefined;
      const all = fs.readFileSync(nameOf(path));
      const half = (all.length + 8) / 2;
      const compiled = all.subarray(8, half);
      if (compiled.length === 0 || !compiled.equals(all.subarray(half))) return undefined;
      runs.set(path, all[0]);
      return compiled;
    },
    use(path, script) {
      const run = script.cachedDataRejected === false ? runs.get(path) : 0;
      if (run < RUNS) used.push({ path, script, run });
    },
  };
}

/** A folder that is there: none is made for this alone. */
function keptIn(fs) {
  const { XDG_CACHE_HOME, XDG_DATA_HOME, HOME, LOCALAPPDATA } = process.env;
  const cache = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`) || LOCALAPPDATA;
  if (cache && isOwn(fs, cache)) return `${cache}/spillway`;
  const data = XDG_DATA_HOME || (HOME && `${HOME}/.local/share`);
  return data && isOwn(fs, `${data}/spillway`) ? `${data}/spillway/compiled` : undefined;
}

/** Where room is short, outputs need it more. */
function hasRoom(fs, folder) {
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize > 100_000_000;
  } catch {
    return true;
  }
}

function isOwn(fs, path) {
  try {
    const { uid, mode } = fs.statSync(path);
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}

/** At once and for good, or not at all. */
function replace(fs, folder, file, content) {
  const aside = `${file}.${process.pid}`;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.writeFileSync(aside, content, { flag: 'wx', mode: 0o600, flush: true });
    fs.renameSync(aside, file);
  } catch {
    // Without it the next run takes a little longer. What a full disk took of it must not stay.
    remove(fs, aside);
  }
}

function remove(fs, file) {
  try {
    fs.unlinkSync(file);
  } catch {
    // Nothing was written.
  }
}
