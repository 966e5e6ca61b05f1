import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';

/** The limit of most providers. */
const MAX_AUDIO_BYTES = 25_000_000;

const FORMATS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'opus', 'wav', 'webm'];

/** Turns speech into text. Repeated, it costs again, and changes nothing. */
export const audioTranscribe = defineTool({
  key: 'audio_transcribe',
  name: 'Transcribe audio',
  description:
    'Turns speech in an audio or video file of up to 25 MB into text, with a speech model of a provider account. Each call costs.',
  category: 'media',
  onlyInChats: true,
  parameters: z.strictObject({
    file: z
      .string()
      .min(1)
      .max(1024)
      .describe(`Path in the workspace: ${FORMATS.join(', ')}.`),
    language: z
      .string()
      .regex(/^[a-z]{2}$/)
      .optional()
      .describe('What is spoken, as two letters: en, de. Found out when left out.'),
    prompt: z.string().min(1).max(1_000).optional().describe('Names and words that are said, to spell them right.'),
    timestamps: z.boolean().optional().describe('Whether to include the time of each part, in seconds.'),
    provider_id: z.string().min(1).max(200).optional().describe('Id or name of a provider account.'),
    model: z.string().min(1).max(200).optional().describe('Name of a speech model; with provider_id only.'),
  }),
  effect: 'read',
  timeoutSeconds: 300,
  label: ({ file }) => `Listening to ${file}`,
  run: async ({ file, language, prompt, timestamps = false, provider_id: account, model }, context) => {
    const path = filePath(file);
    const end = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
    if (!FORMATS.includes(end))
      throw new ToolFailure('invalid_input', `file must be one of these: ${FORMATS.join(', ')}`);
    if (model !== undefined && account === undefined)
      throw new ToolFailure('invalid_input', 'Give provider_id with model: the account that has it');
    const readFile = async () => {
      const bytes = await context.workspace.read(path, MAX_AUDIO_BYTES);
      if (bytes.length === 0) throw new ToolFailure('invalid_input', 'The file is empty');
      return { name: `audio.${end}`, bytes };
    };
    const heard = await context.media.transcribe({ readFile, language, prompt, timestamps, account, model });
    const { text, language: spoken, seconds, parts } = heard;
    return { value: { text, language: spoken, seconds, ...(timestamps && { parts: parts ?? [] }) }, isForeign: true };
  },
});
