"""Has the official client in Python give an agent work, and prints what it is told as JSON."""

import asyncio
import json
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, get_stream_response_text, new_text_message
from a2a.types.a2a_pb2 import (
    AuthenticationInfo,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
    TaskState,
)

# The address that cards name.
PUBLIC_URL = 'https://everturn.example.com'


class Rewriting(httpx.AsyncHTTPTransport):
    """Sends what is for the public address to that of the test."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.url = httpx.URL(str(request.url).replace(PUBLIC_URL, self._address))
        return await super().handle_async_request(request)


def state_of(task: Task) -> str:
    return TaskState.Name(task.status.state).removeprefix('TASK_STATE_')


def shown(task: Task) -> dict[str, object]:
    text = ''.join(get_artifact_text(artifact) for artifact in task.artifacts)
    return {'state': state_of(task), 'text': text}


async def use(address: str, agent_id: str, token: str, version: str, hook: str) -> dict[str, object]:
    headers = {'authorization': f'Bearer {token}'}
    async with httpx.AsyncClient(transport=Rewriting(address), headers=headers, timeout=None) as http:
        card = await A2ACardResolver(http, f'{address}/a2a/agents/{agent_id}').get_agent_card()
        told: dict[str, object] = {'name': card.name, 'pushes': card.capabilities.push_notifications}
        others = [each for each in card.supported_interfaces if each.protocol_version != version]
        for other in others:
            card.supported_interfaces.remove(other)

        def client(**config: bool):
            return ClientFactory(ClientConfig(httpx_client=http, **config)).create(card)

        async def send(sender, text: str, context_id: str | None = None, push: TaskPushNotificationConfig | None = None):
            request = SendMessageRequest(message=new_text_message(text, context_id=context_id, role=Role.ROLE_USER))
            if push is not None:
                request.configuration.task_push_notification_config.CopyFrom(push)
            return [event async for event in sender.send_message(request)]

        waiting = client(streaming=False)
        [answered] = await send(waiting, '[[say done]]')
        task = answered.task
        told['sent'] = shown(task)
        told['got'] = shown(await waiting.get_task(GetTaskRequest(id=task.id)))
        [behind] = await send(waiting, '[[say next]]', context_id=task.context_id)
        told['next'] = {**shown(behind.task), 'isInContext': behind.task.context_id == task.context_id}

        # An answer that is complete before the stream begins is in the task that comes first, and nothing follows it.
        events = await send(client(), '[[say streamed]]')
        with_state = [each for each in events if not each.HasField('artifact_update')]
        with_text = [each for each in events if not each.HasField('status_update')]
        told['streamed'] = {
            'first': events[0].WhichOneof('payload'),
            'last': state_of(getattr(with_state[-1], with_state[-1].WhichOneof('payload'))),
            'text': get_stream_response_text(with_text[-1]),
        }

        leaving = client(streaming=False, polling=True)
        config = TaskPushNotificationConfig(
            url=hook, token='mine', authentication=AuthenticationInfo(scheme='Bearer', credentials='credentials')
        )
        [left] = await send(leaving, f'[[hold python-{version} after 2 chunks]] w1 w2', push=config)
        told['left'] = state_of(left.task) in ('SUBMITTED', 'WORKING')
        following = client().subscribe(SubscribeToTaskRequest(id=left.task.id))
        first = await anext(following)
        told['followed'] = first.WhichOneof('payload')
        await following.aclose()
        named = TaskPushNotificationConfig(task_id=left.task.id, id='named', url=hook)
        told['set'] = (await leaving.create_task_push_notification_config(named)).id
        one = GetTaskPushNotificationConfigRequest(task_id=left.task.id, id='named')
        told['read'] = (await leaving.get_task_push_notification_config(one)).url
        every = ListTaskPushNotificationConfigsRequest(task_id=left.task.id)
        told['listed'] = len((await leaving.list_task_push_notification_configs(every)).configs)
        gone = DeleteTaskPushNotificationConfigRequest(task_id=left.task.id, id='named')
        await leaving.delete_task_push_notification_config(gone)
        told['kept'] = len((await leaving.list_task_push_notification_configs(every)).configs)
        told['canceled'] = state_of(await leaving.cancel_task(CancelTaskRequest(id=left.task.id)))

        try:
            await waiting.get_task(GetTaskRequest(id='00000000-0000-4000-8000-000000000000'))
        except Exception as error:  # noqa: BLE001
            told['unknown'] = type(error).__name__
        return told


print(json.dumps(asyncio.run(use(*sys.argv[1:]))))
