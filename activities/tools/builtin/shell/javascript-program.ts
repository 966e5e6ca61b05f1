/**
 * The module that runs a snippet in the script engine. The value of a snippet is that of its last expression; one that
 * awaits or returns becomes the body of a function. Nothing of a snippet that is no script runs before that is known.
 */
export const JAVASCRIPT_PROGRAM = `
export default async function ({ code, input }, { log }) {
  const console = Object.fromEntries(['log', 'info', 'warn', 'error', 'debug'].map((name) => [name, log]));
  const isScript = (() => {
    if (/\\bawait\\b/.test(code)) return false;
    try {
      (0, eval)('if (false) {' + code + '\\n}');
      return true;
    } catch {
      return false;
    }
  })();
  const body = async () => new (async () => {}).constructor('input', 'console', code)(input, console);
  const value = isScript ? eval(code) : await body();
  return await value;
}`;
