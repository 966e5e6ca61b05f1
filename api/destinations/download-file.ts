import { z } from 'zod';
import { findLinkedFile } from '../../db/destinations/file-links.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { REPORT_FILE_PATH } from '../../domain/destinations.ts';
import { defineDownloadRoute } from '../http/define-route.ts';
import { sendWorkspaceFile, WORKSPACE_FILE } from '../workspaces/send-workspace-file.ts';

/** Sends a file of a report to anybody with its link: the recipients of reports need no account. */
export const downloadReportFileRoute = defineDownloadRoute({
  resource: 'destinations',
  access: 'public',
  tag: 'Destinations',
  method: 'get',
  path: REPORT_FILE_PATH,
  action: 'download_file',
  operationId: 'downloadReportFile',
  summary: 'Download a file of a report, by the link in it',
  description:
    'Always sent as an attachment. 404 once the link has expired, its file was changed, moved or removed, its chat or the report was deleted, or who had it sent may not use destinations any more. `Range` requests a part of it, and `If-Range` and `If-None-Match` accept its `ETag`.',
  params: z.object({ token: z.string().meta({ description: 'The token of the link' }) }),
  errors: [429],
  response: { status: 200, download: 'The bytes of the file', mediaType: WORKSPACE_FILE },
  handler: async ({ params: { token } }, context, reply) => {
    const file = await findLinkedFile(context, token);
    if (file === undefined) throw notFound('File');
    await context.requestLimits.countReportDownload(file.deliveryId);
    // The downloads of one report count together, and not as those of a member.
    await sendWorkspaceFile(context, { orgId: file.orgId, userId: file.deliveryId }, reply, file);
  },
});
