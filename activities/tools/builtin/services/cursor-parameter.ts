import { z } from 'zod';

/** The place at which a list goes on. */
export const cursorParameter = z.string().max(2_000).optional().describe('The `next` of a former page.');
