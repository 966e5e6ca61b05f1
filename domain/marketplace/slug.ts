/** The name of an item, as in `research-assistant`. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;
