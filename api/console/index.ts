export { CONSOLE_OF_CODE, type Console, readConsole } from './read-console.ts';
export { serveConsole } from './serve-console.ts';
