// Uses the client that oapi-codegen writes: signs in, lists records, has an agent answer, and reads errors.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/oapi-codegen/runtime/types"

	"example.com/client/everturn"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	server, email, password := os.Args[1], types.Email(os.Args[2]), os.Args[3]
	ctx := context.Background()
	credentials := everturn.Credentials{Email: email, Password: password}
	session := must(must(everturn.NewClientWithResponses(server)).LoginWithResponse(ctx, credentials))
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+session.JSON200.AccessToken)
		return nil
	}
	client := must(everturn.NewClientWithResponses(server, everturn.WithRequestEditorFn(authorize)))
	organization := session.JSON200.User.ActiveOrgId.String()
	in := everturn.CreateAgentParams{XOrgId: &organization}

	created := must(client.CreateAgentWithResponse(ctx, &in, everturn.AgentCreate{Name: "Helper"}))
	servers := must(client.ListMcpServersWithResponse(ctx, &everturn.ListMcpServersParams{}))
	integrations := must(client.ListIntegrationsWithResponse(ctx, &everturn.ListIntegrationsParams{}))

	chat := must(client.CreateChatWithResponse(ctx, nil, everturn.ChatCreate{AgentId: created.JSON201.Id})).JSON201
	message := everturn.MessageCreate{Content: "[[say Good evening]]"}
	events := must(client.SendMessageWithResponse(ctx, chat.Id, nil, message))
	messages := *must(client.ListMessagesWithResponse(ctx, chat.Id, &everturn.ListMessagesParams{})).JSON200

	ask := func(model string) *everturn.CreateResponseResponse {
		request := everturn.AgentResponseRequest{Model: model}
		if err := request.Input.FromAgentResponseRequestInput0("[[say Good morning]]"); err != nil {
			panic(err)
		}
		return must(client.CreateResponseWithResponse(ctx, nil, request))
	}
	answer, refused := ask("Helper"), ask("Nobody")
	missing := must(client.GetAgentWithResponse(ctx, uuid.New(), nil))
	invalid := must(client.CreateAgentWithResponse(ctx, nil, everturn.AgentCreate{Name: " "}))

	report := map[string]any{
		"agent":       created.JSON201.Name,
		"server":      (*servers.JSON200)[0].Name,
		"integration": (*integrations.JSON200)[0].Name,
		"has_ended":   strings.Contains(string(events.Body), "event: stream_end\n"),
		"message":     messages[len(messages)-1].Content,
		"answer":      answer.JSON200.Output[0].Content[0].Text,
		"code":        refused.JSON404.Error.Code,
		"missing":     must(missing.JSON404.Detail.AsProblemDetail0()),
		"invalid":     must(invalid.JSON422.Detail.AsProblemDetail1())[0].Msg,
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		panic(err)
	}
}
