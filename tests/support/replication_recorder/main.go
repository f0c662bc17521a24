// Plays histories on upstream's ReplicationController and prints the calls it makes.
//
//	go run . <histories.json >replication_calls.json
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/controller/replication"
)

// Kept small: when no call was made for so long, a step is over.
const quiet = 500 * time.Millisecond

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
var controllers = schema.GroupVersionResource{Version: "v1", Resource: "replicationcontrollers"}

type condition struct {
	Pods   []string `json:"pods"`
	Phase  v1.PodPhase
	Ready  bool
	Labels map[string]string
	Since  string
	Cost   string
}

type step struct {
	Controller *v1.ReplicationController `json:"controller,omitempty"`
	Pod        *v1.Pod                   `json:"pod,omitempty"`
	Replicas   *int32                    `json:"replicas,omitempty"`
	Report     *condition                `json:"report,omitempty"`
	Drop       string                    `json:"drop,omitempty"`
	Ending     string                    `json:"ending,omitempty"`
	Refuse     string                    `json:"refuse,omitempty"`
}

type history struct {
	Name  string            `json:"name"`
	Steps []json.RawMessage `json:"steps"`
}

type played struct {
	Name  string       `json:"name"`
	Steps []playedStep `json:"steps"`
}

type playedStep struct {
	Step   json.RawMessage                `json:"step"`
	Calls  []string                       `json:"calls"`
	Status v1.ReplicationControllerStatus `json:"status"`
}

type world struct {
	mutex   sync.Mutex
	client  *fake.Clientset
	calls   []string
	last    time.Time
	names   int
	version int
	refuse  string
}

func (w *world) note(call string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.calls = append(w.calls, call)
	w.last = time.Now()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Every object gets a version of its own, as a server gives it.
func (w *world) stamp(object metav1.Object) {
	w.version++
	object.SetResourceVersion(fmt.Sprint(100 + w.version))
}

func (w *world) react(action clienttesting.Action) (bool, runtime.Object, error) {
	verb, resource := action.GetVerb(), action.GetResource().Resource
	w.mutex.Lock()
	refused := w.refuse != "" && w.refuse == verb+" "+resource
	w.mutex.Unlock()
	fail := apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", fmt.Errorf("refused"))
	switch verb + " " + resource {
	case "create pods":
		pod := action.(clienttesting.CreateAction).GetObject().(*v1.Pod).DeepCopy()
		w.mutex.Lock()
		w.names++
		pod.Namespace = action.GetNamespace()
		pod.Name = fmt.Sprintf("%s%d", pod.GenerateName, w.names)
		pod.UID = types.UID("uid-" + pod.Name)
		pod.CreationTimestamp = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		w.stamp(pod)
		w.mutex.Unlock()
		w.note("create Pod " + pod.GenerateName)
		if refused {
			return true, nil, fail
		}
		must(w.client.Tracker().Create(pods, pod, pod.Namespace))
		return true, pod, nil
	case "delete pods":
		name := action.(clienttesting.DeleteAction).GetName()
		w.note("delete Pod " + name)
		if refused {
			return true, nil, fail
		}
	case "patch pods":
		patch := action.(clienttesting.PatchAction)
		what := "adopt"
		if strings.Contains(string(patch.GetPatch()), `"$patch":"delete"`) {
			what = "release"
		}
		w.note(what + " Pod " + patch.GetName())
		if refused {
			return true, nil, fail
		}
		found, err := w.client.Tracker().Get(pods, "shop", patch.GetName())
		if err != nil {
			return true, nil, err
		}
		pod := found.(*v1.Pod).DeepCopy()
		pod.OwnerReferences = nil
		if what == "adopt" {
			var body struct{ Metadata metav1.ObjectMeta }
			must(json.Unmarshal(patch.GetPatch(), &body))
			pod.OwnerReferences = body.Metadata.OwnerReferences
		}
		w.mutex.Lock()
		w.stamp(pod)
		w.mutex.Unlock()
		must(w.client.Tracker().Update(pods, pod, "shop"))
		return true, pod, nil
	case "update replicationcontrollers":
		owner := action.(clienttesting.UpdateAction).GetObject().(*v1.ReplicationController).DeepCopy()
		w.mutex.Lock()
		w.last = time.Now()
		w.stamp(owner)
		w.mutex.Unlock()
		must(w.client.Tracker().Update(controllers, owner, "shop"))
		return true, owner, nil
	case "get replicationcontrollers":
		w.note("get ReplicationController " + action.(clienttesting.GetAction).GetName())
	}
	return false, nil, nil
}

func (w *world) pod(name string) *v1.Pod {
	found, err := w.client.Tracker().Get(pods, "shop", name)
	must(err)
	return found.(*v1.Pod).DeepCopy()
}

func (w *world) owner() *v1.ReplicationController {
	found, err := w.client.Tracker().Get(controllers, "shop", "web")
	must(err)
	return found.(*v1.ReplicationController).DeepCopy()
}

func (w *world) update(pod *v1.Pod) {
	w.mutex.Lock()
	w.stamp(pod)
	w.mutex.Unlock()
	must(w.client.Tracker().Update(pods, pod, "shop"))
}

func (w *world) do(one step) {
	if one.Controller != nil {
		w.stamp(one.Controller)
		must(w.client.Tracker().Create(controllers, one.Controller, "shop"))
	}
	if one.Pod != nil {
		w.stamp(one.Pod)
		must(w.client.Tracker().Create(pods, one.Pod, "shop"))
	}
	if one.Replicas != nil {
		owner := w.owner()
		owner.Spec.Replicas = one.Replicas
		owner.Generation++
		w.stamp(owner)
		must(w.client.Tracker().Update(controllers, owner, "shop"))
	}
	if report := one.Report; report != nil {
		for _, name := range report.Pods {
			pod := w.pod(name)
			if report.Labels != nil {
				pod.Labels = report.Labels
			}
			if report.Cost != "" {
				pod.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": report.Cost}
			}
			if report.Phase != "" {
				status := v1.ConditionFalse
				if report.Ready {
					status = v1.ConditionTrue
				}
				since, err := time.Parse(time.RFC3339, report.Since)
				must(err)
				pod.Status = v1.PodStatus{Phase: report.Phase, Conditions: []v1.PodCondition{{
					Type: v1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(since),
				}}}
			}
			w.update(pod)
		}
	}
	if one.Drop != "" {
		must(w.client.Tracker().Delete(pods, "shop", one.Drop))
	}
	if one.Ending != "" {
		pod := w.pod(one.Ending)
		now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		pod.DeletionTimestamp = &now
		w.update(pod)
	}
}

func play(one history) played {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &world{client: fake.NewSimpleClientset(), last: time.Now()}
	w.client.PrependReactor("*", "*", w.react)
	factory := informers.NewSharedInformerFactory(w.client, 0)
	manager := replication.NewReplicationManager(ctx,
		factory.Core().V1().Pods(), factory.Core().V1().ReplicationControllers(), w.client, 500)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go manager.Run(ctx, 1)
	result := played{Name: one.Name}
	for _, raw := range one.Steps {
		var next step
		must(json.Unmarshal(raw, &next))
		w.mutex.Lock()
		w.refuse, w.calls, w.last = next.Refuse, []string{}, time.Now()
		w.mutex.Unlock()
		w.do(next)
		for {
			time.Sleep(20 * time.Millisecond)
			w.mutex.Lock()
			isOver := time.Since(w.last) > quiet
			w.mutex.Unlock()
			if isOver {
				break
			}
			if next.Refuse != "" {
				// It tries again and again; the first look is what counts.
				time.Sleep(3 * time.Millisecond)
				break
			}
		}
		var status v1.ReplicationControllerStatus
		if found, err := w.client.Tracker().Get(controllers, "shop", "web"); err == nil {
			status = found.(*v1.ReplicationController).Status
		}
		w.mutex.Lock()
		result.Steps = append(result.Steps, playedStep{raw, w.calls, status})
		w.mutex.Unlock()
	}
	return result
}

func main() {
	var histories []history
	must(json.NewDecoder(os.Stdin).Decode(&histories))
	results := struct {
		Version   string   `json:"version"`
		Histories []played `json:"histories"`
	}{Version: "k8s.io/kubernetes v1.36.1"}
	for _, one := range histories {
		results.Histories = append(results.Histories, play(one))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	must(encoder.Encode(results))
}
