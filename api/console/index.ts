export { type Console, CONSOLE_OF_CODE, readConsole, serveConsole } from './serve-console.ts';
