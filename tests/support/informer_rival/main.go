// The informer of client-go at the work of scripts/bench/informer_load.ts: a list of so many
// pods, two changes of each, three listeners. Prints what that took as JSON.
//
//	go run . 10000
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

const rounds = 2

func pod(at, version int) *v1.Pod {
	text := fmt.Sprintf(`{"metadata":{"name":"pod-%d","namespace":"shop","uid":"uid-%d","resourceVersion":"%d",`+
		`"labels":{"app":"web","at":"%d"}},"spec":{"containers":[{"name":"web","image":"busybox:1.%d",`+
		`"command":["sleep","3600"],"env":[{"name":"AT","value":"%d"}]}]},"status":{"phase":"Running",`+
		`"podIP":"10.0.0.%d","conditions":[{"type":"Ready","status":"True"}]}}`,
		at, at, version, at, version, at, at%250)
	made := &v1.Pod{}
	if err := json.Unmarshal([]byte(text), made); err != nil {
		panic(err)
	}
	return made
}

func main() {
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	base := resident()
	list := &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for at := 0; at < count; at++ {
		list.Items = append(list.Items, *pod(at, 1))
	}
	events := make(chan watch.Event, 1000)
	var told atomic.Int64
	source := &cache.ListWatch{
		ListFunc: func(metav1.ListOptions) (kruntime.Object, error) {
			given := list
			list = nil
			return given, nil
		},
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) {
			return watch.NewProxyWatcher(events), nil
		},
	}
	informer := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(source, unstreamed{}), &v1.Pod{}, 0, cache.Indexers{})
	note := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { told.Add(1) },
		UpdateFunc: func(any, any) { told.Add(1) },
	}
	for handler := 0; handler < 3; handler++ {
		if _, err := informer.AddEventHandler(note); err != nil {
			panic(err)
		}
	}
	begin := time.Now()
	go informer.RunWithContext(context.Background())
	go func() {
		version := 1
		for round := 0; round < rounds; round++ {
			for at := 0; at < count; at++ {
				version++
				events <- watch.Event{Type: watch.Modified, Object: pod(at, version)}
			}
		}
	}()
	for told.Load() < int64(3*count*(rounds+1)) {
		time.Sleep(time.Millisecond)
	}
	took := time.Since(begin)
	runtime.GC()
	runtime.GC()
	fmt.Printf("{\"ms\":%d,\"bytes\":%d}\n", took.Milliseconds(), resident()-base)
	runtime.KeepAlive(informer)
}

// Its lists are answered in one piece.
type unstreamed struct{}

func (unstreamed) IsWatchListSemanticsUnSupported() bool { return true }

// What the heap holds.
func resident() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
