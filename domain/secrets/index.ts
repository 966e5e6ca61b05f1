export { maskSecrets, unmaskSecrets } from './mask-secrets.ts';
export { isSecretName } from './secret-names.ts';
