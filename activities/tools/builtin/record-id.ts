import { z } from 'zod';

/** The id of a record, as a parameter: in any letters, which become those of the API. */
export const recordId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/)
  .toLowerCase();
