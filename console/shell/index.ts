export { ErrorPage, MissingPage } from './error-page.tsx';
export { NoOrgPage } from './no-org-page.tsx';
export { Shell } from './shell.tsx';
