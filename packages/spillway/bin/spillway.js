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
  const optimiser = optimising();
  const load = loader({ fs, program, optimiser, kept: keeping(fs, optimiser) });
  const { main } = load(fs.readFileSync(`${program}entry`, 'latin1'));
  main(process.argv.slice(2)).then((code) => {
    process.exitCode = code ?? process.exitCode;
    // Nothing is left to happen: Node need not take down what the system takes down at once.
    if (process.getActiveResourcesInfo().length === 0) process.exit();
  });
}

/** Gives what requires a file of the program by its path in there. */
function loader({ fs, program, optimiser, kept }) {
  const { constants, Script } = require('node:vm');
  const loaded = new Map();
  return function load(path) {
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(path, module);
    const filename = program + path;
    const source = fs.readFileSync(filename, 'latin1');
    const cachedData = kept.find(path);
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const script = optimiser.asStarted(
      () => new Script(source, { filename, cachedData, importModuleDynamically }),
    );
    kept.use(path, script);
    if (path.startsWith('looking-')) optimiser.less();
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const own = (id) => (id.startsWith('.') ? load(inside(folder + id)) : require(id));
    script.runInThisContext().call(module.exports, module.exports, own, module, filename, program + folder);
    return module.exports;
  };
}

/**
 * A command that cuts a text runs a lot of code a few times each, and ends before V8's optimisers
 * have paid for themselves: on other threads they took a third of its processor time. So functions
 * and patterns have to run more often before they are optimised, until a run turns out to be a long
 * one, by the processor's time: where other work is heavy, a short run lasts long too. What is kept
 * of a run fits the flags with which V8 was started, so files are compiled with these.
 */
function optimising() {
  const LONG_RUN_MICROSECONDS = 250_000;
  let setFlag;
  let isLess = false;
  const set = (less) => {
    if (less === isLess) return;
    isLess = less;
    setFlag(less ? '--no-turbofan' : '--turbofan');
    setFlag(`--invocation-count-for-maglev=${less ? 10_000 : 400}`);
    setFlag(`--invocation-count-for-maglev-osr=${less ? 5_000 : 100}`);
    setFlag(less ? '--no-regexp-peephole-optimization' : '--regexp-peephole-optimization');
    setFlag(`--regexp-tier-up-ticks=${less ? 50 : 1}`);
  };
  return {
    less() {
      setFlag = require('node:v8').setFlagsFromString;
      set(true);
      const timer = setInterval(() => {
        if (process.cpuUsage().user < LONG_RUN_MICROSECONDS) return;
        set(false);
        clearInterval(timer);
      }, 50);
      timer.unref();
    },
    /** Does something with the flags of the start. */
    asStarted(work) {
      const less = isLess;
      set(false);
      const result = work();
      set(less);
      return result;
    },
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
function keeping(fs, optimiser) {
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
      const compiled = optimiser.asStarted(() => script.createCachedData());
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
