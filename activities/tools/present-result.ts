import { cut, toStorableText } from '../../domain/core/text.ts';
import { MAX_RESULT_CHARACTERS } from '../../domain/tool-calls/index.ts';
import { asData } from './as-data.ts';
import type { ToolContext, ToolOutput } from './tool.ts';
import { filePath } from './workspace/index.ts';

const FOLDER = 'tool-results';
/** Room for the marks and notes around a result that is cut. */
const ROOM = 600;

type Place = Pick<ToolContext, 'workspace' | 'idempotencyKey' | 'hasForeignText'>;

/**
 * A tool's answer as the model is given it: storable, marked when it comes from outside, and cut when it is long; the
 * whole of it is then in a file of the workspace, which the result names.
 */
export async function presentResult({ value, isUntrusted = false }: ToolOutput, place: Place): Promise<string> {
  const text = toStorableText(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
  const mark = (shown: string) => (isUntrusted ? asData(shown, place.idempotencyKey) : shown);
  const whole = mark(text);
  if (whole.length <= MAX_RESULT_CHARACTERS) return whole;
  const shown = cut(text, MAX_RESULT_CHARACTERS - ROOM);
  return `${mark(shown)}\n[Cut: ${shown.length} of ${text.length} characters are shown. ${await keep(text, { ...place, hasForeignText: isUntrusted || place.hasForeignText })}]`;
}

async function keep(text: string, { workspace, idempotencyKey, hasForeignText: isForeign }: Place): Promise<string> {
  const path = `${FOLDER}/${idempotencyKey.replaceAll(/[^0-9A-Za-z-]/g, '_').slice(0, 100)}.txt`;
  try {
    await workspace.write(filePath(path), Buffer.from(text), { overwrite: true, createFolders: true, isForeign });
    return `The whole result is in the workspace file ${path}.`;
  } catch {
    return 'The rest could not be kept in the workspace.';
  }
}
