export { ProviderForm } from './provider-form.tsx';
export { ProvidersPage } from './providers-page.tsx';
export { useProviders } from './queries.ts';
