export { ErrorPage, MissingPage } from './error-page.tsx';
export { Shell } from './shell.tsx';
export { useSignOut, useLeaving } from './use-leaving.ts';
