/**
 * V8 compiles an expression for its interpreter when it is first used, and to machine code when it
 * is used again; the first takes three times as long as the second. An expression that meets a long
 * text first is compiled once. For expressions that are large and used often.
 */
const LONG = '\0'.repeat(1_000);
const known = new WeakSet<object>();

/** The expression itself; it is compiled if it is not yet. */
export function compiled<T extends { test(text: string): boolean }>(expression: T): T {
  if (known.has(expression)) return expression;
  known.add(expression);
  expression.test(LONG);
  return expression;
}
