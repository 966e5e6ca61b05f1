/** Bytes of one file, in UTF-8. */
export const MAX_FILE_BYTES = 256 * 1024;
/** Files of one definition. */
export const MAX_FILES = 100;
/** Bytes of all files of one definition. */
export const MAX_DEFINITION_BYTES = 2 * 1024 ** 2;
