export { NoOrgPage } from './no-org-page.tsx';
