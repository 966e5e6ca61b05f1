export { AddAccount } from './add/add-account.tsx';
export { type CatalogEntry, isFailing, type Provider, useCatalog, useProviders } from './queries.ts';
