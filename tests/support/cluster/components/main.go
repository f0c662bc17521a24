// The parts of a Kubernetes cluster that the tests join a node to, in one program: its
// first argument says which part it is, the others are those of that part.
//
//	cluster etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl …
//
// With CLUSTER_ENDS_WITH_STDIN=1 a part ends at once when its standard input does, so
// that nothing is left behind by tests that were killed.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	// A CronJob may name a time zone on a machine that has no list of them.
	_ "time/tzdata"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "Cannot start: wanted the name of a part as the first argument")
		os.Exit(64)
	}
	part := os.Args[1]
	os.Args = os.Args[1:]
	if os.Getenv("CLUSTER_ENDS_WITH_STDIN") == "1" {
		go endWith(os.Stdin)
	}
	switch part {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(manager.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kubectl":
		if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
			util.CheckErr(err)
		}
	default:
		fmt.Fprintf(os.Stderr, "Cannot start %q: no such part\n", part)
		os.Exit(64)
	}
}

func endWith(input io.Reader) {
	_, err := io.Copy(io.Discard, input)
	if err == nil || errors.Is(err, os.ErrClosed) {
		os.Exit(130)
	}
}
