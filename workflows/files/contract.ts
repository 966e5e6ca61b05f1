/** The type of the workflow that extracts the text of an uploaded file. */
export const EXTRACT_TEXT = 'extractText';

export interface ExtractTextInput {
  readonly orgId: string;
  readonly fileId: string;
}

/** Returns the workflow's id: one extraction for each file. */
export function extractTextId({ orgId, fileId }: ExtractTextInput): string {
  return `file-text/${orgId}/${fileId}`;
}
