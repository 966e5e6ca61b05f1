import { z } from 'zod';
import type { ChatFile } from '../../db/files/index.ts';
import { FILE_STATUSES, textNameOf, UPLOADS } from '../../domain/files.ts';
import { present } from '../../domain/core/record-names.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, timestamp } from '../http/fields.ts';

export const fileSchema = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid(),
    user_id: z.uuid().nullable(),
    name: z.string().meta({ description: 'As its sender called it' }),
    path: z.string().meta({ description: 'Where it is found in the workspace of the chat' }),
    text_path: z
      .string()
      .nullable()
      .meta({ description: 'Where its text is found, when the file itself is not that text' }),
    media_type: z.string().meta({ description: 'Told by its content' }),
    size: z.int().meta({ description: 'In bytes' }),
    status: z.enum(FILE_STATUSES).meta({
      description:
        '`pending` while its text is being extracted; `failed`, with `error`, when it has none that could be; else `ready`',
    }),
    error: z.string().nullable().meta({ description: 'Why its text could not be extracted' }),
    text_characters: z.int().nullable().meta({ description: 'The length of its text; null for an image' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'ChatFile',
    examples: [
      {
        id: EXAMPLE_ID,
        chat_id: EXAMPLE_ID,
        user_id: EXAMPLE_ID,
        name: 'Quarterly report.pdf',
        path: 'uploads/Quarterly report.pdf',
        text_path: 'uploads/Quarterly report.pdf.txt',
        media_type: 'application/pdf',
        size: 48_213,
        status: 'ready',
        error: null,
        text_characters: 20_480,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

/** Returns a file as the API shows it. */
export function presentFile(file: ChatFile): z.input<typeof fileSchema> {
  const { pathName, hasTextApart } = file;
  const textPath = hasTextApart ? `${UPLOADS}/${textNameOf(pathName)}` : null;
  return present(fileSchema, file, { path: `${UPLOADS}/${pathName}`, textPath });
}
