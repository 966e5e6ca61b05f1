import { parseExactJson } from '../../../domain/core/exact-json.ts';

/**
 * Parses JSON without changing its numbers: 1234567890123456789 is shown, and sent back, as it came. A browser that
 * cannot keep them reads them as JavaScript does.
 */
export const parseJson: (text: string) => unknown = 'rawJSON' in JSON ? parseExactJson : JSON.parse;
