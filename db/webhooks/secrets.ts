import { SecretColumn } from '../core/index.ts';

/** The secrets with which deliveries are signed; each is bound to the owner of its target. */
export const signingSecrets = new SecretColumn('webhook-targets', 'secret');
