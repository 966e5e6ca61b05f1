import type { ToolOutput } from '../tool.ts';

/** What a model is shown of a value: a text as it is, anything else as JSON. */
export interface ShownValue extends Pick<ToolOutput, 'isJson'> {
  readonly value: string;
}

/** Returns what is shown of a value, given as JSON. It stays JSON, since as objects it may be far larger. */
export function shownValue(json: string): ShownValue {
  return json.startsWith('"') ? { value: String(JSON.parse(json)) } : { value: json, isJson: true };
}
