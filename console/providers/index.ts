export { AddAccount } from './add/add-account.tsx';
export { type CatalogEntry, type Provider, useCatalog, useProviders } from './queries.ts';
