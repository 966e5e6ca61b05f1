"""Uses the client that OpenAPI Generator writes in Python: lists records, has an agent answer, and reads errors."""

import json
import sys
import uuid

from everturn import (
    AgentCreate,
    AgentResponseRequest,
    AgentResponseRequestInput,
    AgentsApi,
    ApiClient,
    Configuration,
    IntegrationsApi,
    MCPServersApi,
    OpenAICompatibleApi,
)
from everturn.exceptions import NotFoundException

server, token = sys.argv[1:]


def ask(client, model):
    question = AgentResponseRequestInput("[[say Good morning]]")
    return OpenAICompatibleApi(client).create_response(AgentResponseRequest(model=model, input=question))


def refusal(call):
    try:
        call()
    except NotFoundException as error:
        return error.data
    raise AssertionError("it was answered")


with ApiClient(Configuration(host=server, access_token=token)) as client:
    agents = AgentsApi(client)
    report = {
        "agent": agents.create_agent(AgentCreate(name="Helper")).name,
        "server": MCPServersApi(client).list_mcp_servers()[0].name,
        "integration": IntegrationsApi(client).list_integrations()[0].name,
        "answer": ask(client, "Helper").output[0].content[0].text,
        "code": refusal(lambda: ask(client, "Nobody")).error.code,
        "missing": refusal(lambda: agents.get_agent(uuid.uuid4())).detail.actual_instance,
    }
print(json.dumps(report))
