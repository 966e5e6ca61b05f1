import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';

/** Stands for any style sheet: each class is called as it is written there. */
const STYLE_SHEET = 'export default new Proxy({}, { get: (_classes, name) => name });';
// Of its two forms a process that asks for those of browsers gets the one that only throws; jsdom needs the other.
const WS = fileURLToPath(new URL('../../../node_modules/ws/index.js', import.meta.url));

/** Lets this process import what the bundler does: components and style sheets. */
export function registerModuleHooks() {
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier === 'ws' ? WS : specifier, context);
      } catch (error) {
        // A package without a list of what it exports, as bundlers read it.
        if (error.code !== 'ERR_UNSUPPORTED_DIR_IMPORT') throw error;
        return next(pathToFileURL(createRequire(context.parentURL).resolve(specifier)).href, context);
      }
    },
    load(url, context, next) {
      if (url.endsWith('.css')) return { format: 'module', shortCircuit: true, source: STYLE_SHEET };
      if (!url.endsWith('.tsx')) return next(url, context);
      return { format: 'module', shortCircuit: true, source: compile(fileURLToPath(url)) };
    },
  });
}

function compile(filename) {
  const parser = { syntax: 'typescript', tsx: true };
  const jsc = { parser, target: 'es2024', transform: { react: { runtime: 'automatic' } } };
  return transformSync(readFileSync(filename, 'utf8'), { filename, sourceMaps: 'inline', jsc }).code;
}
