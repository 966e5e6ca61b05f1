export { AddAccount } from './add-account.tsx';
export { type CatalogEntry, type Provider, isFailing, useCatalog, useProviders } from './queries.ts';
