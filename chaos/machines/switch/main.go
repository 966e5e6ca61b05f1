// The network of the chaos run's machines: a TUN device for each of them, and a switch that forwards packets between
// the devices, or delays and drops them.
//
//	switch users=10.99.0.1 api-1=10.99.0.31 ...
//
// It creates a device by the name of each machine and prints "ready". Each line of standard input is a command, which
// it confirms with "ok":
//
//	link A B DELAY LOSS   each packet between two machines takes DELAY (such as 100ms); LOSS of them (0 to 1) are dropped
//	route ADDRESS A       packets to the address go to this machine from now on
package main

import (
	"bufio"
	"fmt"
	"log"
	"math/rand/v2"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const mtu = 1500

// How packets get from one machine to another.
type link struct {
	delay time.Duration
	loss  float64
}

type pair struct{ from, to string }

type delayed struct {
	due    time.Time
	packet []byte
}

type network struct {
	devices map[string]int
	mutex   sync.RWMutex
	routes  map[netip.Addr]string
	links   map[pair]link
	// A queue for each pair of machines keeps packets in order.
	queues map[pair]chan delayed
}

func main() {
	net := &network{
		devices: map[string]int{},
		routes:  map[netip.Addr]string{},
		links:   map[pair]link{},
		queues:  map[pair]chan delayed{},
	}
	for _, machine := range os.Args[1:] {
		name, address, _ := strings.Cut(machine, "=")
		net.devices[name] = openDevice(name)
		net.routes[netip.MustParseAddr(address)] = name
	}
	for from := range net.devices {
		for to := range net.devices {
			queue := make(chan delayed, 10_000)
			net.queues[pair{from, to}] = queue
			go net.deliverLate(to, queue)
		}
		go net.forward(from)
	}
	fmt.Println("ready")
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		net.obey(commands.Text())
		fmt.Println("ok")
	}
}

func openDevice(name string) int {
	device, err := syscall.Open("/dev/net/tun", syscall.O_RDWR, 0)
	if err != nil {
		log.Fatalf("/dev/net/tun: %v", err)
	}
	var request struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], name)
	request.flags = syscall.IFF_TUN | syscall.IFF_NO_PI
	_, _, errno := syscall.Syscall(
		syscall.SYS_IOCTL, uintptr(device), syscall.TUNSETIFF, uintptr(unsafe.Pointer(&request)),
	)
	if errno != 0 {
		log.Fatalf("the device %s: %v", name, errno)
	}
	return device
}

func (net *network) obey(command string) {
	net.mutex.Lock()
	defer net.mutex.Unlock()
	var a, b, delay string
	var loss float64
	if n, _ := fmt.Sscanf(command, "link %s %s %s %g", &a, &b, &delay, &loss); n == 4 {
		duration, err := time.ParseDuration(delay)
		if err != nil {
			log.Fatalf("not a command: %s", command)
		}
		net.links[pair{a, b}] = link{duration, loss}
		net.links[pair{b, a}] = link{duration, loss}
	} else if n, _ := fmt.Sscanf(command, "route %s %s", &a, &b); n == 2 {
		net.routes[netip.MustParseAddr(a)] = b
	} else {
		log.Fatalf("not a command: %s", command)
	}
}

func (net *network) forward(from string) {
	buffer := make([]byte, mtu)
	for {
		length, err := syscall.Read(net.devices[from], buffer)
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if err != nil {
			log.Fatalf("reading from %s: %v", from, err)
		}
		// IPv4 alone: the address of the receiver is at 16.
		if length < 20 || buffer[0]>>4 != 4 {
			continue
		}
		net.mutex.RLock()
		to, isKnown := net.routes[netip.AddrFrom4([4]byte(buffer[16:20]))]
		way := net.links[pair{from, to}]
		net.mutex.RUnlock()
		if !isKnown || rand.Float64() < way.loss {
			continue
		}
		if way.delay == 0 {
			net.deliver(to, buffer[:length])
			continue
		}
		late := delayed{time.Now().Add(way.delay), append([]byte(nil), buffer[:length]...)}
		select {
		case net.queues[pair{from, to}] <- late:
		default:
			// A full queue drops packets, as in a router.
		}
	}
}

func (net *network) deliverLate(to string, queue chan delayed) {
	for late := range queue {
		time.Sleep(time.Until(late.due))
		net.deliver(to, late.packet)
	}
}

// Errors are those of a device that is down: the packet is lost.
func (net *network) deliver(to string, packet []byte) {
	_, _ = syscall.Write(net.devices[to], packet)
}
