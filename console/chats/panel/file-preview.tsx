import { useMutation } from '@tanstack/react-query';
import { ArrowLeft, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { saveFile } from '../../core/browser/save-file.ts';
import { formatBytes } from '../../core/text/numbers.ts';
import base from '../../ui/base.module.css';
import { CodeBlock } from '../../ui/code/code-block.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { BlobImage, isPicture, pictureType } from '../files/message-files.tsx';
import { type FilePlace, PREVIEW_BYTES, useFileHead, useReadFile, useWholeFile } from '../files/queries.ts';
import { useChatsText } from '../text.ts';
import classes from './panel.module.css';

interface FilePreviewProps {
  readonly place: FilePlace;
  readonly name: string;
  /** '' when only its name tells. */
  readonly mediaType: string;
  readonly onBack: () => void;
}

/** Shows a file: pictures and text as they are; all else is there to download. */
export function FilePreview({ place, name, mediaType, onBack }: FilePreviewProps): ReactNode {
  const text = useChatsText().files;
  const picture = isPicture(mediaType) ? mediaType : pictureType(name);
  return (
    <section className={classes.part}>
      <div className={classes.row}>
        <Button look="quiet" aria-label={text.back} onClick={onBack}>
          <ArrowLeft aria-hidden />
        </Button>
        <h3 className={classes.title}>{showInvisible(name)}</h3>
        <DownloadButton place={place} name={name} />
      </div>
      {picture === '' ? (
        <TextPreview place={place} name={name} />
      ) : (
        <PicturePreview place={place} name={name} mediaType={picture} />
      )}
    </section>
  );
}

/** A button that reads a file with the user's rights, and has the browser save it. */
export function DownloadButton({ place, name }: { readonly place: FilePlace; readonly name: string }): ReactNode {
  const text = useChatsText().files;
  const toast = useToast();
  const read = useReadFile();
  const download = useMutation({
    mutationFn: async () => saveFile(await read(place), name),
    onError: ({ message }) => toast(message, 'failed'),
  });
  return (
    <Button
      look="quiet"
      busy={download.isPending}
      aria-label={text.downloadOf(showInvisible(name))}
      title={text.download}
      onClick={() => download.mutate()}
    >
      <Download aria-hidden />
    </Button>
  );
}

function PicturePreview({ place, name, mediaType }: Omit<FilePreviewProps, 'onBack'>): ReactNode {
  const picture = useWholeFile(place);
  return (
    <Loaded query={picture}>
      {(content) => <BlobImage content={content} mediaType={mediaType} name={showInvisible(name)} />}
    </Loaded>
  );
}

function TextPreview({ place, name }: Pick<FilePreviewProps, 'place' | 'name'>): ReactNode {
  const text = useChatsText().files;
  const head = useFileHead(place);
  return (
    <Loaded query={head}>
      {({ text: words, isWhole }) => {
        if (words === null) return <p className={base.faint}>{text.notShown}</p>;
        if (words === '') return <p className={base.faint}>{text.emptyFile}</p>;
        return (
          <>
            {!isWhole && <p className={base.faint}>{text.head(formatBytes(PREVIEW_BYTES))}</p>}
            {/\.(md|markdown)$/i.test(name) ? (
              <Markdown text={words} />
            ) : (
              <CodeBlock code={words} language={/\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? ''} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}
