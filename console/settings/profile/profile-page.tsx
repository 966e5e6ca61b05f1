import { useCurrentUser } from '../../core/session/current-user.ts';
import { Loaded } from '../../ui/page/loaded.tsx';
import { DeleteAccountSection } from './delete-account-section.tsx';
import { EmailSection } from './email-section.tsx';
import { NameSection } from './name-section.tsx';
import { PasswordSection } from './password-section.tsx';

/** One's own name, address and password, and the end of the account. */
export function ProfilePage() {
  return (
    <Loaded query={useCurrentUser()}>
      {(user) => (
        <>
          <NameSection user={user} />
          <EmailSection user={user} />
          <PasswordSection user={user} />
          <DeleteAccountSection user={user} />
        </>
      )}
    </Loaded>
  );
}
