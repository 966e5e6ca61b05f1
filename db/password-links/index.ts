export { findPasswordLink, makePasswordLink, usePasswordLink } from './password-links.ts';
