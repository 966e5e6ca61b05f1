import { z } from 'zod';

/** The id of a record, as a parameter. */
export const recordId = z.string().regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/);
