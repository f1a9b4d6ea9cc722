// Tells whether the time that a regular expression takes can grow faster than the text it meets.
//
// The pattern becomes an automaton whose states are the positions that take a char. Backtracking
// takes more than linear time if a text can be read in many ways: two ways round one loop
// (exponential), or two loops, one behind the other, that both go on with the word that leads from
// the first to the second (polynomial). The search for the first match is a loop before the
// pattern, unless the pattern is anchored or sticky.
//
// A repetition with a bound is looked at as if it were short: its cost does not grow with the text.
// What follows a loop may never fail in practice; such a pattern is reported as well.
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** So many copies stand for a repetition with a bound. */
const COPIES = 2;
const ACCEPT = 0;
const ANY = /[\s\S]/;

/** Null if it is linear; otherwise the loops, and the word that they go on with. */
export function superLinear(source, flags) {
  const automaton = automatonOf(source, flags);
  return exponential(automaton) ?? polynomial(automaton);
}

/** Two ways round one loop, with the same word. */
function exponential(automaton) {
  for (const loop of automaton.loops) {
    if (isDone(automaton, loop)) continue;
    const [first] = loop;
    const word = search(automaton, [first, first], [loop, loop], [first, first], { apart: true });
    if (word !== null) return { degree: 'exponential', loops: [automaton.positions[first].source], word };
  }
  return null;
}

/** Two loops and a way between them, all with the same word. */
function polynomial(automaton) {
  const { loops, positions } = automaton;
  for (const before of loops)
    for (const behind of loops) {
      if (isDone(automaton, behind)) continue;
      const between = before === behind ? new Set() : positionsBetween(automaton, before, behind);
      if (between.size === 0) continue;
      for (const p of breakers(automaton, before))
        for (const q of behind) {
          if (search(automaton, [p, q], [before, behind], [p, q]) === null) continue;
          const word = search(automaton, [p, p, q], [before, between, behind], [p, q, q]);
          if (word !== null)
            return { degree: 'polynomial', loops: [positions[p].source, positions[q].source], word };
        }
    }
  return null;
}

/**
 * A word with which every run goes from its start to its end, each within its own positions. `apart`:
 * the first two runs go different ways. The word can be said again, so what stands before it is its
 * own last char.
 */
function search(automaton, starts, within, ends, { apart = false } = {}) {
  const { chars, sides } = automaton;
  for (let last = 0; last < sides; last++) {
    const queue = [{ now: starts, side: last, isApart: !apart, char: '', from: null }];
    const seen = new Set();
    for (const item of queue) {
      const { now, side, isApart } = item;
      if (
        item.from !== null &&
        isApart &&
        side === last &&
        now.every((position, run) => position === ends[run])
      )
        return wordOf(item);
      for (const kind of chars) {
        const steps = now.map((position, run) =>
          stepsFrom(automaton, position, side, kind).filter((to) => within[run].has(to)),
        );
        if (steps.some((to) => to.length === 0)) continue;
        const isDoubled = steps[0].length > new Set(steps[0]).size;
        for (const next of combined(steps)) {
          const differs = isApart || isDoubled || next[0] !== next[1];
          const key = `${next} ${kind.side} ${differs}`;
          if (seen.has(key)) continue;
          seen.add(key);
          queue.push({ now: next, side: kind.side, isApart: differs, char: kind.char, from: item });
        }
      }
    }
  }
  return null;
}

/** The positions that can take a char, behind a position and a char of that side. */
function stepsFrom({ positions, before, tests }, position, side, kind) {
  const known = positions[position].steps;
  const key = side * 1_000 + kind.index;
  known[key] ??= positions[position].ways.flatMap(({ to, needs }) =>
    kind.takenBy.has(to) && needs.every((need) => tests[need](before[side], kind.char)) ? [to] : [],
  );
  return known[key];
}

function wordOf(item) {
  let word = '';
  for (let at = item; at.from !== null; at = at.from) word = at.char + word;
  return word;
}

function combined(lists) {
  return lists.reduce(
    (rows, list) => rows.flatMap((row) => [...new Set(list)].map((each) => [...row, each])),
    [[]],
  );
}

function positionsBetween({ positions }, before, behind) {
  const forward = closure(before, (position) => positions[position].next);
  const back = closure(behind, (position) => positions[position].previous);
  return new Set([...forward].filter((position) => back.has(position)));
}

/** Places of a loop without which nothing goes round: each word that goes round can begin there. */
function breakers({ positions }, loop) {
  const left = new Set(loop);
  const chosen = [];
  for (
    let round = stronglyConnected(left, positions);
    round.length > 0;
    round = stronglyConnected(left, positions)
  )
    for (const [position] of round) {
      chosen.push(position);
      left.delete(position);
    }
  return chosen;
}

function closure(from, next) {
  const reached = new Set(from);
  for (const each of reached) for (const to of next(each)) reached.add(to);
  return reached;
}

/** Tarjan's components, but only those that are loops. */
function stronglyConnected(nodes, positions) {
  const [index, low, stack, loops] = [new Map(), new Map(), [], []];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    const next = positions[node].next.filter((to) => nodes.has(to));
    for (const to of next) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(node, Math.min(low.get(node), low.get(to)));
    }
    if (low.get(node) !== index.get(node)) return;
    const loop = stack.splice(stack.lastIndexOf(node));
    if (loop.length > 1 || next.includes(node)) loops.push(new Set(loop));
  };
  for (const node of nodes) if (!index.has(node)) visit(node);
  return loops;
}

/** The automaton over positions, as the searches above need it. */
function automatonOf(source, flags) {
  const { states, positions, tests, start } = new Builder(source, flags);
  const chars = alphabet(source, flags, positions, tests);
  // Chars that tests cannot tell apart where they stand before a position are of one side.
  const sides = new Map();
  for (const kind of chars) {
    const signature = tests
      .map((test) => chars.map(({ char }) => Number(test(kind.char, char))).join(''))
      .join();
    if (!sides.has(signature)) sides.set(signature, { index: sides.size, char: kind.char });
    kind.side = sides.get(signature).index;
  }
  for (const position of positions) {
    position.ways = [];
    position.accepts = [];
    for (const way of waysFrom(states, position.behind))
      (way.to === undefined ? position.accepts : position.ways).push(way);
    position.steps = [];
    position.next = [];
    position.previous = [];
  }
  const before = [...sides.values()].map(({ char }) => char);
  const automaton = { positions, tests, chars, before, sides: before.length };
  const first = waysFrom(states, start).flatMap(({ to, needs }) =>
    chars.some(({ char, takenBy }) => takenBy.has(to) && needs.every((need) => tests[need](null, char)))
      ? [to]
      : [],
  );
  const reached = closure(first, (position) => reachedFrom(automaton, position));
  for (const position of reached) {
    positions[position].next = reachedFrom(automaton, position);
    for (const to of positions[position].next) positions[to].previous.push(position);
  }
  automaton.loops = stronglyConnected(reached, positions);
  return automaton;
}

function reachedFrom(automaton, position) {
  const { chars } = automaton;
  const sides = new Set(chars.flatMap(({ takenBy, side }) => (takenBy.has(position) ? [side] : [])));
  const found = [...sides].flatMap((side) =>
    chars.flatMap((kind) => stepsFrom(automaton, position, side, kind)),
  );
  return [...new Set(found)];
}

/** Whether the match is done in this loop, whatever follows: then nothing is tried again. */
function isDone({ positions, chars, tests }, loop) {
  return [...loop].some((position) =>
    positions[position].accepts.some(
      ({ needs }) =>
        needs.length === 0 ||
        // It takes every char, and may end where the text does.
        chars.every(
          ({ char, takenBy }) => takenBy.has(position) && needs.every((need) => tests[need](char, null)),
        ),
    ),
  );
}

/** Every way from a state to what takes the next char, or to the end of the pattern. */
function waysFrom(states, state) {
  const found = [];
  const path = new Set();
  const walk = (at, needs) => {
    if (at === ACCEPT) found.push({ needs });
    if (path.has(at)) return;
    const { edges, position } = states[at];
    if (position !== undefined) found.push({ to: position, needs });
    path.add(at);
    for (const { to, need } of edges) walk(to, need === undefined ? needs : [...needs, need]);
    path.delete(at);
  };
  walk(state, []);
  return found;
}

/** One char of each kind that the pattern tells apart. */
function alphabet(source, flags, positions, tests) {
  const codes = new Set(Array.from({ length: 128 }, (_, code) => code));
  for (const char of `${source}é\u00a0\u2028中ſ`)
    for (const near of [-1, 0, 1]) codes.add(Math.max(0, char.codePointAt(0) + near));
  if (/[uv]/.test(flags)) codes.add(0x1f600);
  const kinds = new Map();
  for (const code of codes) {
    const char = String.fromCodePoint(code);
    const takenBy = positions.flatMap(({ pattern }, position) => (pattern.test(char) ? [position] : []));
    const signature = tests.flatMap((test) => [
      test(char, null),
      test(null, char),
      test(char, 'a'),
      test('a', char),
    ]);
    const key = `${takenBy} ${signature}`;
    if (!kinds.has(key)) kinds.set(key, { char, takenBy: new Set(takenBy), index: kinds.size });
  }
  return [...kinds.values()];
}

/** States from the syntax tree, each made before the one that leads to it. State 0 accepts. */
class Builder {
  states = [{ edges: [] }];
  /** What takes a char: its source, the chars, and the state behind it. */
  positions = [];
  /** What is asked of the chars before and behind a position between two chars; null is the end. */
  tests = [];
  #flags;

  constructor(source, flags) {
    this.#flags = flags;
    const kind = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
    const pattern = new RegExpParser().parsePattern(source, 0, source.length, kind);
    this.start = this.#alternatives(pattern.alternatives, ACCEPT);
    if (flags.includes('y')) return;
    const again = this.#state(this.start);
    this.states[again].edges.push({ to: this.#position('the search', again, ANY) });
    this.start = again;
  }

  #state(...next) {
    return this.states.push({ edges: next.map((to) => ({ to })) }) - 1;
  }

  #position(source, behind, pattern) {
    const state = this.#state();
    this.states[state].position = this.positions.push({ source, behind, pattern }) - 1;
    return state;
  }

  #alternatives(alternatives, next) {
    return this.#state(...alternatives.map(({ elements }) => this.#sequence(elements, next)));
  }

  #sequence(elements, next) {
    return elements.reduceRight((behind, element) => this.#element(element, behind), next);
  }

  #element(element, next) {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.#alternatives(element.alternatives, next);
      case 'Quantifier':
        return this.#quantifier(element, next);
      case 'Assertion':
        return this.#assertion(element, next);
      case 'Backreference':
        return this.#position(element.raw, next, ANY);
      default:
        return this.#position(element.raw, next, this.#leaf(element));
    }
  }

  #quantifier({ element, min, max }, next) {
    let state = next;
    if (max === Number.POSITIVE_INFINITY) {
      state = this.#state(next);
      this.states[state].edges.push({ to: this.#element(element, state) });
    } else {
      for (let i = 0; i < Math.min(COPIES, max - min); i++)
        state = this.#state(this.#element(element, state), next);
    }
    for (let i = 0; i < Math.min(COPIES, min); i++) state = this.#element(element, state);
    return state;
  }

  #assertion(assertion, next) {
    const state = this.#state();
    this.states[state].edges.push({ to: next, need: this.tests.push(this.#testOf(assertion)) - 1 });
    // What is looked for ahead is read, too; behind it that look is done.
    if (assertion.kind === 'lookahead')
      this.states[state].edges.push({ to: this.#alternatives(assertion.alternatives, ACCEPT) });
    if (assertion.kind === 'lookbehind') mustBeShort(assertion);
    return state;
  }

  /** What must hold for the chars on both sides. What they do not tell is taken to hold. */
  #testOf({ kind, negate, alternatives }) {
    const isMultiline = this.#flags.includes('m');
    const isEnd = (char) => char === null || (isMultiline && /[\n\r\u2028\u2029]/.test(char));
    const isWord = (char) => char !== null && /\w/.test(char);
    if (kind === 'start') return (before) => isEnd(before);
    if (kind === 'end') return (_, behind) => isEnd(behind);
    if (kind === 'word') return (before, behind) => (isWord(before) !== isWord(behind)) !== negate;
    const edges = alternatives.map(({ elements }) => this.#edgeOf(elements, kind, negate));
    const holds = (char) => edges.some((edge) => edge(char)) !== negate;
    return kind === 'lookahead' ? (_, behind) => holds(behind) : (before) => holds(before);
  }

  /** Whether what is looked for can be there, by the char next to it; under `negate`: whether it is. */
  #edgeOf(elements, kind, negate) {
    const element = kind === 'lookahead' ? elements[0] : elements.at(-1);
    if (element?.type.startsWith('Character') && (elements.length === 1 || !negate)) {
      const leaf = this.#leaf(element);
      return (char) => char !== null && leaf.test(char);
    }
    if (elements.length === 1 && (element.kind === 'start' || element.kind === 'end')) {
      const test = this.#testOf(element);
      return (char) => test(char, char);
    }
    return () => !negate;
  }

  #leaf({ raw }) {
    return new RegExp(`^(?:${raw})$`, this.#flags.replace(/[gmyd]/g, ''));
  }
}

function mustBeShort(assertion) {
  visitRegExpAST(assertion, {
    onQuantifierEnter({ max }) {
      if (max === Number.POSITIVE_INFINITY)
        throw new Error('It looks back over a text of any length. Give the repetition a bound.');
    },
  });
}
