import { DeviceList } from './device-list.tsx';
import { SessionList } from './session-list.tsx';

/** Where the user is signed in: in browsers and clients, and on devices. */
export function SignInsPage() {
  return (
    <>
      <SessionList />
      <DeviceList />
    </>
  );
}
