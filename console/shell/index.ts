export { ErrorPage, MissingPage } from './error-page.tsx';
export { Shell } from './shell.tsx';
export { useSignOut } from './navigation/use-sign-out.ts';
export { useLeaving } from './use-leaving.ts';
