/**
 * Secrets in text: what well-known keys and tokens look like, and a filter that replaces them by
 * `[redacted: KIND]` while text streams by. Chunks of any size give the same result. A private key
 * keeps its line ends, so line numbers stay as they were. Every pattern starts at the beginning of
 * a run of token characters, so that matching takes linear time.
 */
import { isUtf8 } from 'node:buffer';

/** A pattern of the user beside the built-in ones. */
export interface SecretPattern {
  /** The pattern as the user wrote it. */
  readonly source: string;
  /** Where the first match at or after `from` begins and ends; null if there is none. */
  readonly match: (text: string, from: number) => readonly [start: number, end: number] | null;
}

interface Rule {
  readonly kind: string;
  /** The secret is group 1, or the whole match. */
  readonly pattern: RegExp;
  /** Whether the value is random enough to be a secret. */
  readonly needsEntropy?: true;
}

const START = '(?<![A-Za-z0-9_+/-])';
const rule = (kind: string, source: string): Rule => ({ kind, pattern: new RegExp(START + source, 'gd') });

/** Tokens of further services: how they begin, and the rest. */
const SERVICE_TOKENS: readonly (readonly [begin: string, rest: string])[] = [
  ['dckr_[op]at_', '[A-Za-z0-9_-]{27,64}'],
  ['GOCSPX-', '[A-Za-z0-9_-]{28}'],
  ['gsk_', '[A-Za-z0-9]{52}'],
  ['xai-', '[A-Za-z0-9]{80}'],
  ['pplx-', '[A-Za-z0-9]{48,56}'],
  ['r8_', '[A-Za-z0-9]{37}'],
  ['lin_api_', '[A-Za-z0-9]{40}'],
  ['ntn_', '[A-Za-z0-9]{43,50}'],
  ['figd_', '[A-Za-z0-9_-]{40,64}'],
  ['sntry[su]_', '[A-Za-z0-9+/=_-]{60,512}'],
  ['ATATT3', '[A-Za-z0-9=_-]{100,512}'],
  ['sb[ps]_', '[a-f0-9]{40}'],
  ['pscale_(?:tkn|pw|oauth)_', '[A-Za-z0-9_.=-]{32,64}'],
  ['NRAK-', '[A-Z0-9]{27}'],
  ['dapi', '[a-f0-9]{32}(?![a-f0-9])'],
  ['glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'],
  ['HRKU-', '[A-Za-z0-9_-]{36,64}'],
  ['sq0(?:csp|atp)-', '[A-Za-z0-9_-]{22,43}'],
  ['dp\\.(?:pt|st|ct)\\.', '[A-Za-z0-9_.-]{40,64}'],
  ['rubygems_', '[a-f0-9]{48}'],
  ['SK[a-f0-9]{8}', '[a-f0-9]{24}(?![A-Za-z0-9])'],
];

const RULES: readonly Rule[] = [
  rule('aws_key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9_])'),
  rule('github_token', '(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255})'),
  rule('gitlab_token', 'gl(?:pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{20,255}'),
  rule('slack_token', 'xox[abeoprs]-[A-Za-z0-9-]{20,255}'),
  rule(
    'slack_webhook',
    'https://hooks\\.slack\\.com/services/(T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]{16,64})',
  ),
  rule('stripe_key', '(?:[sr]k|whsec)_(?:live_|test_)?[A-Za-z0-9]{24,255}'),
  rule('anthropic_key', 'sk-ant-[A-Za-z0-9_-]{24,255}'),
  rule('openai_key', 'sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,255}|[A-Za-z0-9]{40,255})'),
  rule('google_key', '(?:AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|ya29\\.[A-Za-z0-9_-]{30,1024})'),
  rule('npm_token', 'npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])'),
  rule('pypi_token', 'pypi-AgE[A-Za-z0-9_-]{50,1024}'),
  rule('huggingface_token', 'hf_[A-Za-z0-9]{34}(?![A-Za-z0-9_])'),
  rule('digitalocean_token', 'do[opr]_v1_[a-f0-9]{64}'),
  rule('shopify_token', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'),
  rule('sendgrid_key', 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'),
  rule('vault_token', 'hv[sbr]\\.[A-Za-z0-9_-]{24,255}'),
  rule('age_key', 'AGE-SECRET-KEY-1[A-Z0-9]{58}'),
  rule('telegram_token', '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])'),
  rule('discord_token', '[MNO][A-Za-z0-9_-]{23,25}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}'),
  rule('terraform_token', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}'),
  rule('azure_key', 'Account[Kk]ey=([A-Za-z0-9+/]{86}==)'),
  rule('service_token', SERVICE_TOKENS.map(([begin, rest]) => begin + rest).join('|')),
  rule('jwt', 'eyJ[A-Za-z0-9_-]{10,4096}\\.eyJ[A-Za-z0-9_-]{10,8192}\\.[A-Za-z0-9_-]{16,2048}'),
  {
    kind: 'url_password',
    pattern: /(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@'"<>]{0,64}:([^\s:/?#@'"<>]{8,128})@/dg,
    needsEntropy: true,
  },
  {
    kind: 'authorization',
    pattern:
      /\b[Aa]uthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:Bearer|Basic|bearer|basic|token) ([A-Za-z0-9._~+/=-]{16,2048})/dg,
    needsEntropy: true,
  },
  {
    kind: 'secret',
    pattern:
      /(?<![A-Za-z0-9_-])["']?[A-Za-z0-9_-]{0,40}(?:secret|token|passw(?:or)?d|api[_-]?key|access[_-]?key|private[_-]?key|\b_?auth)(?:_[A-Za-z0-9]{1,20})?["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9+/=_.~!@#$%^&*-]{16,512})(?=["'\s,;}]|$)/dgim,
    needsEntropy: true,
  },
];

/** Text without any of these has no secret that a rule would find. */
const CUES = new RegExp(
  [
    ...SERVICE_TOKENS.map(([begin]) => begin),
    'AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|gl(?:pat|ptt|rt|dt|cbt)-|xox[abeoprs]-|hooks\\.slack',
    '[sr]k_|whsec_|sk-|AIza|ya29\\.|npm_|pypi-|hf_|_v1_|shp|SG\\.|eyJ|hv[sbr]\\.|AGE-|:AA|atlasv1',
    '\\.[a-z0-9_-]{6}\\.|://|auth|secret|token|passw|api[_-]?key|access[_-]?key|private[_-]?key|AccountKey',
  ].join('|'),
  'i',
);

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
/** A key without an end is given up after this many chars: the rest is shown. */
const MAX_KEY_CHARS = 32_768;

/** Held back at most while no line end comes, in bytes; a longer line is cut between tokens. */
const MAX_HELD = 65_536;
/** Bytes before the cut of a long line in which a gap between tokens is looked for. */
const MAX_TOKEN = 16_384;

/** Bits per char from which a value may be random; words and paths have fewer. */
const MIN_ENTROPY = 3.5;

const NOTHING: Uint8Array = new Uint8Array(0);

/** Replaces secrets in the bytes of one part. */
export class SecretFilter {
  readonly #own: readonly SecretPattern[];
  /** Chunks of a line that is not over. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Chars of the private key that is being left out; null outside of one. */
  #keyChars: number | null = null;
  #count = 0;

  constructor(own: readonly SecretPattern[] = []) {
    this.#own = own;
  }

  /** How many secrets were replaced. */
  get count(): number {
    return this.#count;
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.#heldBytes + bytes.length <= MAX_HELD && !bytes.includes(0x0a)) {
      this.#hold(bytes);
      return NOTHING;
    }
    const all = Buffer.concat([...this.#held, bytes]);
    const end = safeEnd(all);
    this.#release();
    this.#hold(all.subarray(end));
    return this.#filtered(all.subarray(0, end));
  }

  finish(): Uint8Array {
    const rest = Buffer.concat(this.#held);
    this.#release();
    return this.#filtered(rest);
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #release(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }

  #filtered(bytes: Buffer): Uint8Array {
    if (bytes.length === 0) return bytes;
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
    const text = bytes.toString(encoding);
    const out = this.#values(this.#withoutKeys(text));
    return out === text ? bytes : Buffer.from(out, encoding);
  }

  /** Leaves out private keys; what is left of one are its line ends. */
  #withoutKeys(text: string): string {
    if (this.#keyChars === null && !text.includes('-----BEGIN ')) return text;
    let out = '';
    let at = 0;
    while (at < text.length) {
      if (this.#keyChars === null) {
        KEY_BEGIN.lastIndex = at;
        const begin = KEY_BEGIN.exec(text);
        if (begin === null) return out + text.slice(at);
        out += `${text.slice(at, begin.index)}[redacted: private_key]`;
        this.#count += 1;
        this.#keyChars = 0;
        at = begin.index + begin[0].length;
      }
      KEY_END.lastIndex = at;
      const end = KEY_END.exec(text);
      const stop = end === null ? text.length : end.index + end[0].length;
      const room = MAX_KEY_CHARS - this.#keyChars;
      const taken = Math.min(stop - at, room);
      out += text.slice(at, at + taken).replace(/[^\n]+/g, '');
      at += taken;
      this.#keyChars = (end !== null && at === stop) || taken === room ? null : this.#keyChars + taken;
    }
    return out;
  }

  #values(text: string): string {
    let out = text;
    if (CUES.test(text)) for (const each of RULES) out = this.#replaced(out, each);
    for (const own of this.#own) out = this.#replacedOwn(out, own);
    return out;
  }

  #replaced(text: string, { kind, pattern, needsEntropy }: Rule): string {
    let out = '';
    let at = 0;
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0];
      const value = text.slice(start, end);
      if (start < at || (needsEntropy === true && !looksRandom(value))) continue;
      out += `${text.slice(at, start)}[redacted: ${kind}]`;
      this.#count += 1;
      at = end;
    }
    return at === 0 ? text : out + text.slice(at);
  }

  #replacedOwn(text: string, own: SecretPattern): string {
    let out = '';
    let at = 0;
    for (let found = own.match(text, 0); found !== null; found = own.match(text, at)) {
      const [start, end] = found;
      if (end <= start) break;
      out += `${text.slice(at, start)}[redacted: own]`;
      this.#count += 1;
      at = end;
    }
    return at === 0 ? text : out + text.slice(at);
  }
}

/** The text with its secrets replaced. */
export function redactText(text: string, own: readonly SecretPattern[] = []): string {
  const filter = new SecretFilter(own);
  const bytes = Buffer.from(text, 'utf8');
  const out = Buffer.concat([filter.push(bytes), filter.finish()]);
  return filter.count === 0 ? text : out.toString('utf8');
}

/** Where the bytes can be cut without parting a secret: a line end, or a gap in a long line. */
function safeEnd(bytes: Buffer): number {
  const line = bytes.lastIndexOf(0x0a) + 1;
  if (line > 0 || bytes.length <= MAX_HELD) return line;
  for (let at = bytes.length - 1; at > bytes.length - MAX_TOKEN; at--)
    if (bytes[at] === 0x20 || bytes[at] === 0x2c || bytes[at] === 0x7b) return at;
  return bytes.length - MAX_TOKEN;
}

/** Mixed characters of high entropy, and none of the forms that stand for a value. */
function looksRandom(value: string): boolean {
  if (/^[$%<{*]|\.\.\.|example|placeholder|changeme|your[_-]|xxxx|redacted/i.test(value)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (/^(?:[A-Za-z]+(?:\d[A-Za-z]*)?[._/-])+[A-Za-z0-9]*$/.test(value.slice(0, 200))) return false;
  return entropy(value) >= MIN_ENTROPY;
}

/** Shannon entropy, in bits per char. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
