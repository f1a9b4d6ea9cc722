/** Diffs for tests, as git writes them: hunks with context before one old and two new lines. */
export const hunkOf = (file: number, at: number, lines: number) =>
  `@@ -${at},${lines + 1} +${at},${lines + 2} @@ function f${file}()\n${' context of the hunk\n'.repeat(lines)}-old ${file} ${at}\n+new ${file} ${at}\n+more ${file} ${at}\n`;
export const headOf = (name: string) =>
  `diff --git a/${name} b/${name}\nindex 1234567..89abcde 100644\n--- a/${name}\n+++ b/${name}\n`;
export const fileOf = (i: number, hunks: number, lines: number, name = `src/file${i}.ts`) =>
  headOf(name) + Array.from({ length: hunks }, (_, h) => hunkOf(i, h * 100 + 1, lines)).join('');
