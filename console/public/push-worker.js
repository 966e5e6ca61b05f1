// Shows notifications of what waits for a person, and opens it (docs/approvals.md). Handles no requests, and stores
// nothing.
addEventListener('push', (event) => {
  const { title, body, tag, path } = event.data.json();
  // A notification replaces the one before it about the same approval, and alerts again.
  const options = { body, tag, renotify: true, icon: '/mark.svg', data: { path } };
  event.waitUntil(registration.showNotification(title, options));
});

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(new URL(event.notification.data.path, location.origin).href));
});

async function openPage(address) {
  if (new URL(address).origin !== location.origin) return;
  const open = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = open.find(({ url }) => url === address);
  await (shown === undefined ? clients.openWindow(address) : shown.focus());
}
