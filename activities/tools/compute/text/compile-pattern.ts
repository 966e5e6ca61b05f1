import { RE2JS, RE2JSException } from 're2js';

/**
 * Compiles a regular expression that takes time in proportion to the text, whatever the expression is. Throws what is
 * wrong with it.
 */
export function compilePattern(pattern: string, flags = 0): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const hint = /\(\?[=!<]|\\[1-9]/.test(pattern) ? '; there is no look-around and no back-reference' : '';
    throw new Error(`The pattern is no RE2 expression: ${error.message}${hint}`, { cause: error });
  }
}
