import { useSyncExternalStore } from 'react';
import type { Upload, Uploads } from './uploads.ts';

const NOTHING: readonly Upload[] = [];
const noList = () => NOTHING;
const never = () => () => undefined;

/** Returns the files that are uploaded, and renders anew when they change. */
export function useUploadList(uploads: Uploads | undefined): readonly Upload[] {
  return useSyncExternalStore(uploads?.subscribe ?? never, uploads?.list ?? noList);
}
