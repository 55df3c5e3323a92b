// A driver that answers the queries of the set `progress`. Run: go run driver.go
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type question struct {
	Hello json.RawMessage `json:"hello"`
	Set   string          `json:"set"`
	ID    string          `json:"id"`
	Ask   json.RawMessage `json:"ask"`
}

type query struct {
	Kind                string          `json:"kind"`
	Commits             [][]interface{} `json:"commits"`
	Query               []interface{}   `json:"query"`
	QueueMinOffset      int64           `json:"queueMinOffset"`
	FirstPhysicalOffset *int64          `json:"firstPhysicalOffset"`
	LogMaxOffset        int64           `json:"logMaxOffset"`
	MemoryBytes         int64           `json:"memoryBytes"`
}

type answer struct {
	Code   int    `json:"code"`
	Offset *int64 `json:"offset"`
}

type place struct {
	topic, group string
	queue        int64
}

func makePlace(told []interface{}) place {
	return place{told[0].(string), told[1].(string), int64(told[2].(float64))}
}

// answerQuery is QUERY_CONSUMER_OFFSET after some commits: your implementation goes here.
func answerQuery(ask query) answer {
	stored := int64(-1)
	for _, commit := range ask.Commits {
		if makePlace(commit) == makePlace(ask.Query) {
			stored = int64(commit[3].(float64))
		}
	}
	if stored >= 0 {
		return answer{0, &stored}
	}
	first := ask.FirstPhysicalOffset
	onDisk := first != nil && ask.LogMaxOffset-*first > ask.MemoryBytes
	if ask.QueueMinOffset <= 0 && !onDisk {
		beginning := int64(0)
		return answer{0, &beginning}
	}
	return answer{22, nil}
}

func reply(line []byte) (interface{}, error) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, err
	}
	if asked.Hello != nil {
		return map[string]interface{}{"hello": map[string]interface{}{"protocol": 1, "name": "Go"}}, nil
	}
	if asked.Set == "progress" {
		var kind struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(asked.Ask, &kind); err != nil {
			return nil, err
		}
		if kind.Kind == "query" {
			var ask query
			if err := json.Unmarshal(asked.Ask, &ask); err != nil {
				return nil, err
			}
			return map[string]interface{}{"id": asked.ID, "answer": answerQuery(ask)}, nil
		}
	}
	return map[string]interface{}{"id": asked.ID, "unsupported": true}, nil
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		told, err := reply(line)
		if err == nil {
			err = out.Encode(told)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
