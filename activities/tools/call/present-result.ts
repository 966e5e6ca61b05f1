import { cut, toStorableText } from '../../../domain/core/text.ts';
import { MAX_RESULT_CHARACTERS } from '../../../domain/tool-calls/index.ts';
import { asData } from './as-data.ts';
import type { ToolContext } from '../context.ts';
import type { ToolOutput } from '../tool.ts';
import { filePath } from '../workspace/workspace-path.ts';

const FOLDER = 'tool-results';
/** Room for the marks and notes around a truncated result. */
const ROOM = 600;

type Place = Pick<ToolContext, 'workspace' | 'idempotencyKey' | 'hasForeignText'>;

/**
 * A tool's output as it is held until it is stored: the part for the model and, when that is not all, the whole as
 * bytes, which lie outside the heap that all calls of the process share.
 */
export interface HeldResult {
  readonly shown: string;
  readonly isForeign: boolean;
  /** What follows the part, which cuts nothing off it. */
  readonly notice: string;
  readonly whole?: { readonly bytes: Buffer; readonly characters: number };
}

/** Prepares a tool's output: storable, marked when it comes from outside, and cut when it is long. */
export function holdResult({ value, notice: note, isForeign = false }: ToolOutput, callId: string): HeldResult {
  const notice = note === undefined ? '' : `\n${note}`;
  const text = toStorableText(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
  const whole = isForeign ? asData(text, callId) : text;
  if (whole.length + notice.length <= MAX_RESULT_CHARACTERS) return { shown: whole, isForeign, notice };
  // Copied, because a substring keeps its whole text alive.
  const shown = Buffer.from(cut(text, MAX_RESULT_CHARACTERS - ROOM)).toString();
  return { shown, isForeign, notice, whole: { bytes: Buffer.from(text), characters: text.length } };
}

/** Formats a tool's output for the model; the whole of a truncated one is in a workspace file, which the text names. */
export async function presentResult({ shown, isForeign, notice, whole }: HeldResult, place: Place): Promise<string> {
  if (whole === undefined) return shown + notice;
  const kept = await keep(whole.bytes, place, isForeign || place.hasForeignText);
  const marked = isForeign ? asData(shown, place.idempotencyKey) : shown;
  return `${marked}\n[Cut: ${shown.length} of ${whole.characters} characters are shown. ${kept}]${notice}`;
}

async function keep(bytes: Buffer, { workspace, idempotencyKey }: Place, isForeign: boolean): Promise<string> {
  const path = `${FOLDER}/${idempotencyKey.replaceAll(/[^0-9A-Za-z-]/g, '_').slice(0, 100)}.txt`;
  try {
    await workspace.write(filePath(path), bytes, { overwrite: true, createFolders: true, isForeign });
    return `The whole result is in the workspace file ${path}.`;
  } catch {
    return 'The rest could not be kept in the workspace.';
  }
}
