import { orgPage } from '../core/routing/route-roots.ts';
import { texts } from '../core/routing/search.ts';

const channels = orgPage('/channels', async () => import('./channels-page.tsx'), 'ChannelsPage', texts('q'));

const channel = orgPage('/channels/$channelId', async () => import('./channel-page.tsx'), 'ChannelPage');

/** The pages of channels. */
export const channelsRoutes = [channels, channel] as const;
